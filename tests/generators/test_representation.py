"""`Representation`: relations hold for random groups and starts; `Cyclic` is a special case."""

import pytest
import torch
from torch import Tensor
from torch.func import functional_call

from lgn import groups
from lgn.generators import Cyclic, Representation, make_generator, start_matrices
from lgn.groups import relation_error
from lgn.transforms import operator
from lgn.warning import LgnWarning

NAMES = ["D4", "C2 x C2", "S3", "C2 x C6", "S4"]
all_groups = pytest.mark.parametrize("name", NAMES)


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


def several(generator: Representation) -> Tensor:
    """(generators, leading, channels, d, d)"""
    return generator.matrix().detach().unflatten(0, (len(generator.group.generators), -1))


def all_products_error(generator: Representation) -> float:
    """`rho(g h) = rho(g) rho(h)` for all pairs, not only for the relations: the definition."""
    rho = generator.group.representation(several(generator))  # (order, leading, channels, d, d)
    left = rho[generator.group.table]
    products = rho[:, None] @ rho[None]
    return float((left - products).flatten(4).norm(dim=-1).max() / rho.shape[-1] ** 0.5)


@all_groups
def test_relations_hold_after_200_steps_from_any_start(name: str) -> None:
    group = groups.as_group(name)
    leading = (2 * len(group.generators), 1)
    generator = Representation(start_matrices("orthogonal", leading, 16), (4, 4), group)
    assert generator.matrix().dtype == torch.float32
    before = generator.matrix().detach().clone()
    target = torch.randn_like(before)
    optimizer = torch.optim.Adam(generator.parameters(), lr=1e-2)
    for _ in range(200):
        optimizer.zero_grad()
        (generator.matrix() - target).square().sum().backward()
        optimizer.step()
    assert float((generator.matrix().detach() - before).norm() / before.norm()) > 0.1
    assert all_products_error(generator) <= 1e-5
    assert float(generator.guarantee_error().max()) <= 1e-5


@all_groups
@pytest.mark.parametrize("noise", [0.0, 0.02])
def test_a_representation_is_kept_and_a_noisy_one_is_projected(name: str, noise: float) -> None:
    """For coordinates that are not orthogonal, and multiplicities unlike those of the regular representation."""
    group = groups.as_group(name)
    parts = [irrep for number, irrep in enumerate(group.irreps()) for _ in range(1 + number % 2)]
    blocks = torch.stack([torch.block_diag(*(part[g] for part in parts)) for g in range(group.order)])
    d = blocks.shape[-1]
    s = torch.eye(d, dtype=torch.float64) + 0.3 * torch.randn(d, d, dtype=torch.float64) / d**0.5
    true = (s @ blocks @ torch.linalg.inv(s))[list(group.generator_elements)]
    start = true + noise * torch.randn_like(true) * true.flatten(1).norm(dim=1).view(-1, 1, 1) / d
    generator = Representation(start[:, None], (d, 1), group)
    assert all_products_error(generator) <= 1e-10
    found = generator.matrix().detach()[:, 0]
    error = float((found - true).norm() / true.norm())
    assert error <= (1e-9 if noise == 0 else 1.5 * noise)
    assert float(generator.start_distance.max()) <= (1e-9 if noise == 0 else 3 * noise)


def test_a_random_start_has_the_multiplicities_of_the_regular_representation() -> None:
    group = groups.dihedral(4)
    generator = Representation(start_matrices("orthogonal", (2, 1), 64, dtype=torch.float64), (8, 8), group)
    rho = group.representation(several(generator))[:, 0, 0]
    character = rho.diagonal(dim1=-2, dim2=-1).sum(-1)
    expected = 64 // 8
    for irrep in group.irreps():
        own = irrep.diagonal(dim1=-2, dim2=-1).sum(-1)
        count = float((character * own).mean() / own.square().mean())
        assert count == pytest.approx(round(count), abs=1e-9)
        assert abs(count - expected * irrep.shape[-1]) <= 3


@pytest.mark.parametrize("order", [2, 3, 4, 6])
def test_a_representation_of_a_cyclic_group_equals_cyclic(order: int) -> None:
    for start in (start_matrices("orthogonal", (3, 2), 9), torch.randn(3, 2, 9, 9)):
        general, special = Representation(start, (3, 3), order), Cyclic(start, (3, 3), order)
        assert general.state_dict().keys() == special.state_dict().keys()
        for one, other in zip(general.state_dict().values(), special.state_dict().values(), strict=True):
            assert torch.equal(one, other)
        assert torch.equal(general.matrix(), special.matrix())


def test_gradients_against_finite_differences() -> None:
    generator = Representation(start_matrices("orthogonal", (2, 1), 4, dtype=torch.float64), (2, 2), "S3")
    names, parameters = zip(*generator.named_parameters(), strict=True)

    def matrix(*values: Tensor) -> Tensor:
        return functional_call(generator, dict(zip(names, values, strict=True)), ())

    assert torch.autograd.gradcheck(matrix, [parameter.detach().requires_grad_() for parameter in parameters])


def test_fresh_starts_are_representations_of_each_generator() -> None:
    group = groups.dihedral(4)
    generator = make_generator("representation", (3, 3), group, (2, 1), "orthogonal", dtype=torch.float64)
    r, s = generator.fresh_starts(5, 0), generator.fresh_starts(5, 1)
    assert r is not None
    assert s is not None
    eye = torch.eye(9, dtype=torch.float64).expand(5, 9, 9)
    torch.testing.assert_close(torch.linalg.matrix_power(r, 4), eye)
    torch.testing.assert_close(s @ s, eye)
    assert not torch.allclose(r[0], r[1])


def test_bad_starts_are_refused_and_the_identity_warns() -> None:
    group, patch = groups.dihedral(4), (3, 3)
    turn = operator("rotation", patch, degrees=90)
    with pytest.raises(ValueError, match="start.*r, s of D4, got 1"):
        make_generator("representation", patch, group, (1, 1), [turn])
    with pytest.raises(ValueError, match=r"start.*r, s of D4.*\(9, 9\)"):
        make_generator("fixed", patch, group, (1, 1), turn)
    with pytest.raises(ValueError, match="generator.*'cyclic'"):
        make_generator("cyclic", patch, group, (1, 1), "orthogonal")
    with pytest.raises(ValueError, match="start.*r, s of D4, got 3"):
        Representation(torch.eye(9).expand(3, 1, 9, 9), patch, group)
    with pytest.raises(ValueError, match="start.*rank 0"):
        Representation(torch.zeros(2, 1, 9, 9), patch, group)
    with pytest.raises(ValueError, match="matrices.*r, s of D4"):
        relation_error(group, turn[None])
    with pytest.warns(LgnWarning, match="identity"):
        Representation(torch.eye(9).expand(2, 1, 9, 9), patch, group)
    assert "D4: r^4, s^2, s r s r" in repr(make_generator("representation", patch, group, (1, 1)))
