"""Penalties: values against plain loops, gradients, and the state of the model."""

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.func import functional_call

from lgn.generators import Cyclic, Dense, Fixed, Generator, make_generator, start_matrices
from lgn.nn import GroupConv1d, GroupConv2d, GroupConv3d
from lgn.penalties import AuxiliaryInverse, Closure, LogDeterminant, Orthogonality, Penalty, SingularValues

ALL: list[type[Penalty]] = [AuxiliaryInverse, SingularValues, LogDeterminant, Orthogonality, Closure]
all_penalties = pytest.mark.parametrize("penalty", ALL)
all_axes = pytest.mark.parametrize("axes", [1, 2, 3])
CONVOLUTIONS = {1: GroupConv1d, 2: GroupConv2d, 3: GroupConv3d}
#: A patch of six pixels and one of four, of signals, images and volumes.
PATCHES: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = {
    1: ((6,), (4,)),
    2: ((2, 3), (2, 2)),
    3: ((1, 2, 3), (2, 1, 2)),
}


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


def dense(leading: tuple[int, int], patch: tuple[int, ...], order: int) -> Dense:
    d = math.prod(patch)
    return Dense(torch.randn(*leading, d, d, dtype=torch.float64), patch, order)


def mixed_model(axes: int = 2) -> nn.ModuleDict:
    """Two sizes, two orders, a generator that two places share, and a fixed one that no penalty may count."""
    large, small = PATCHES[axes]
    shared = dense((2, 3), large, 4)
    return nn.ModuleDict(
        {
            "first": shared,
            "again": nn.Sequential(shared),
            "other_order": dense((1, 2), large, 3),
            "small": dense((3, 1), small, 4),
            "fixed": Fixed(torch.randn(1, 1, 6, 6, dtype=torch.float64), large, 4),
        }
    )


def away_from_start(term: Penalty) -> Penalty:
    """The same penalty; auxiliary inverses move away from the inverses, where the penalty is zero."""
    for parameter in term.parameters():
        parameter.data.add_(torch.randn_like(parameter))
    return term


def plain_values(a: Tensor, order: int, inverse: Tensor) -> dict[type[Penalty], float]:
    """The formulas of the paper for one matrix."""
    eye = torch.eye(len(a), dtype=a.dtype)
    singular = torch.linalg.eigvalsh(a.T @ a).clamp_min(0).sqrt()
    product = eye
    for _ in range(order):
        product = product @ a
    return {
        AuxiliaryInverse: float((a @ inverse - eye).square().sum().sqrt()),
        SingularValues: -float(singular.sum()),
        LogDeterminant: -math.log(math.prod(singular.tolist())),
        Orthogonality: float((a.T @ a - eye).square().sum().sqrt()),
        Closure: float((product - eye).square().sum().sqrt()),
    }


@all_penalties
@all_axes
def test_the_value_equals_a_plain_loop(penalty: type[Penalty], axes: int) -> None:
    model = mixed_model(axes)
    term = away_from_start(penalty(model, weight=0.3))
    total = 0.0
    for generator in (model["first"], model["other_order"], model["small"]):
        batch = generator.matrix().detach().flatten(0, 1)
        for index, a in enumerate(batch):
            inverse = torch.zeros_like(a)
            if isinstance(term, AuxiliaryInverse):
                inverse = term.inverses[f"{len(a)}x{len(a)}^{generator.order}"].detach()[index]
            total += plain_values(a, generator.order, inverse)[penalty]
    assert float(term().detach()) == pytest.approx(0.3 * total, rel=1e-9)


@all_penalties
def test_the_gradient_against_finite_differences(penalty: type[Penalty]) -> None:
    """With respect to the generators, through the penalty's own batching."""
    model = nn.ModuleList([dense((2, 1), (1, 3), 3), dense((1, 1), (2, 2), 4)])
    term = away_from_start(penalty(model, weight=0.5))
    generators = [model[0], model[1]]

    def value(*matrices: Tensor) -> Tensor:
        for generator, matrix in zip(generators, matrices, strict=True):
            del generator.weight
            generator.weight = matrix
        return term()

    starts = [generator.weight.detach().clone().requires_grad_() for generator in generators]
    assert torch.autograd.gradcheck(value, starts)


def test_the_gradient_of_the_auxiliary_inverses() -> None:
    term = AuxiliaryInverse(dense((2, 1), (1, 3), 3), weight=1.0)
    ((name, inverse),) = term.named_parameters()
    start = (inverse.detach() + torch.randn_like(inverse)).requires_grad_()
    assert torch.autograd.gradcheck(lambda value: functional_call(term, {name: value}, ()), start)


@all_penalties
@all_axes
def test_nothing_enters_the_state_dict_of_the_model(penalty: type[Penalty], axes: int) -> None:
    convolution, d = CONVOLUTIONS[axes], 2**axes
    model = nn.Sequential(convolution(3, 2, 2), convolution(8, 2, 2))
    before = list(model.state_dict())
    parameters = {id(parameter) for parameter in model.parameters()}
    term = penalty(model, 0.1)
    assert list(model.state_dict()) == before
    # Nor is anything of the model a parameter of the penalty: an optimiser given both must not step twice.
    assert parameters.isdisjoint(id(parameter) for parameter in term.parameters())
    expected = [(4, d, d)] if penalty is AuxiliaryInverse else []
    assert [tuple(parameter.shape) for parameter in term.parameters()] == expected


@all_penalties
@all_axes
def test_every_generator_gets_a_gradient(penalty: type[Penalty], axes: int) -> None:
    convolution = CONVOLUTIONS[axes]
    shared = make_generator("dense", (3,) * axes, 4, (1, 1))
    model = nn.Sequential(convolution(3, 2, 3, generator=shared), convolution(8, 2, 3, generator=shared))
    model.append(convolution(8, 2, PATCHES[axes][0], group=3, generator="cyclic"))
    term = away_from_start(penalty(model, 0.1))
    term().backward()
    assert len(term.generators) == 2
    for generator in term.generators:
        for parameter in generator.parameters():
            assert parameter.grad is not None
            assert parameter.grad.isfinite().all()
    assert all(parameter.grad is None for name, parameter in model.named_parameters() if "basis" in name)


def test_the_auxiliary_inverse_starts_at_the_inverse() -> None:
    model = dense((2, 2), (2, 3), 4)
    term = AuxiliaryInverse(model)
    (inverse,) = term.inverses.values()
    torch.testing.assert_close(inverse.detach(), torch.linalg.inv(model.matrix().detach().flatten(0, 1)))
    assert float(term().detach()) < 1e-12


@pytest.mark.parametrize("start", ["identity", "singular"])
def test_the_auxiliary_inverse_is_finite_at_the_identity_and_for_singular_matrices(start: str) -> None:
    """At the identity the norm is of zero, where its derivative must still be a number; a singular A has no inverse."""
    matrix = torch.eye(6) if start == "identity" else torch.diag(torch.tensor([1.0, 1, 1, 1, 0, 0]))
    model = Dense(matrix[None, None], (2, 3))
    term = AuxiliaryInverse(model, weight=1.0)
    value = term()
    value.backward()
    assert float(value.detach()) == pytest.approx(0 if start == "identity" else math.sqrt(2), abs=1e-6)
    assert all(p.grad is not None and p.grad.isfinite().all() for p in (*model.parameters(), *term.parameters()))


def test_the_auxiliary_inverse_can_start_at_gaussian_matrices() -> None:
    term = AuxiliaryInverse(dense((2, 1), (2, 3), 4), start="gaussian")
    (inverse,) = term.inverses.values()
    torch.testing.assert_close(inverse.detach().norm(dim=(-2, -1)), torch.ones(2, dtype=torch.float64))
    assert float(term().detach()) > 1e-4


def test_training_with_the_auxiliary_inverse_makes_a_matrix_invertible() -> None:
    model = Dense(torch.diag(torch.tensor([1.0, 1, 1, 0.5, 0.01, 0.01]))[None, None], (2, 3))
    term = AuxiliaryInverse(model, weight=1.0, start="gaussian")
    optimizer = torch.optim.Adam([*model.parameters(), *term.parameters()], lr=1e-2)
    for _ in range(500):
        optimizer.zero_grad()
        term().backward()
        optimizer.step()
    assert float(term().detach()) < 0.2
    assert float(torch.linalg.svdvals(model.matrix().detach()).min()) > 0.1


@pytest.mark.parametrize(
    ("penalty", "weight"), [(AuxiliaryInverse, 1e-3), (SingularValues, 1e-2), (LogDeterminant, 1e-2)]
)
def test_default_weights(penalty: type[Penalty], weight: float) -> None:
    assert penalty(dense((1, 1), (2, 2), 4)).weight == weight
    assert f"weight={weight:g}" in repr(penalty(dense((1, 1), (2, 2), 4)))


@pytest.mark.parametrize(
    ("penalty", "member"),
    [
        (Orthogonality, lambda: make_generator("orthogonal", (2, 3), 4, (2, 1), dtype=torch.float64)),
        (Closure, lambda: Cyclic(start_matrices("orthogonal", (2, 1), 6, dtype=torch.float64), (2, 3), 4)),
    ],
)
def test_it_is_zero_for_a_family_that_guarantees_it(penalty: type[Penalty], member: Callable[[], Generator]) -> None:
    generator = member()
    term = penalty(generator, 1.0)
    assert float(term().detach()) < 1e-12
    term().backward()
    assert all(parameter.grad is not None and parameter.grad.isfinite().all() for parameter in generator.parameters())


@all_penalties
def test_a_model_without_trained_generators_is_refused(penalty: type[Penalty]) -> None:
    with pytest.raises(ValueError, match="model.*Conv2d"):
        penalty(nn.Conv2d(3, 8, 3), 0.1)
    with pytest.raises(ValueError, match="model.*Fixed"):
        penalty(Fixed(torch.eye(6)[None, None], (2, 3)), 0.1)


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="weight"):
        Closure(dense((1, 1), (2, 2), 4), -0.1)
    with pytest.raises(ValueError, match="start.*zero"):
        AuxiliaryInverse(dense((1, 1), (2, 2), 4), start="zero")  # type: ignore[arg-type]
