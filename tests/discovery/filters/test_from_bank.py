"""Generators with one matrix, fitted to banks of filters: accuracy, p-values and identifiable dimensions."""

from contextlib import nullcontext
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import lgn
from lgn.actions import orbit, unvec
from lgn.discovery.filters import fit_generator
from lgn.generators import start_matrices
from lgn.nn import UndeterminedWarning
from lgn.transforms import operator

PATCH = (4, 4)
QUARTER_TURN = operator("rotation", PATCH, degrees=90)


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


def planted(matrix: Tensor, sets: int, order: int = 4, channels: int = 1) -> Tensor:
    """A bank of orbits, set-major.  (sets * order, channels, 4, 4)"""
    return orbit(matrix, torch.randn(sets, channels, *PATCH, dtype=torch.float64), order).transpose(0, 1).flatten(0, 1)


def in_random_order(bank: Tensor) -> Tensor:
    """The filters of every set of four in random order."""
    sets = bank.unflatten(0, (-1, 4))
    return sets[torch.arange(len(sets))[:, None], torch.rand(len(sets), 4).argsort(1)].flatten(0, 1)


@pytest.mark.parametrize(
    "matrix",
    [
        QUARTER_TURN,
        operator("reflection", PATCH),
        operator("shift", PATCH, columns=1),
        operator("rotation", PATCH, degrees=45, mode="bilinear"),
        operator("pooling", PATCH, radius=3),
        torch.randn(16, 16, dtype=torch.float64, generator=torch.Generator().manual_seed(1)),
    ],
    ids=["rotation 90", "flip", "shift", "rotation 45", "pooling", "random"],
)
def test_least_squares_finds_any_generator_that_enough_sets_share(matrix: Tensor) -> None:
    fit = fit_generator(planted(matrix, sets=20), group=4)
    torch.testing.assert_close(fit.matrix, matrix, atol=1e-8, rtol=1e-8)
    assert fit.residual < 1e-10
    assert fit.identifiable_dimension == 16
    assert fit.p_value == 0.01


def test_a_generator_per_set() -> None:
    matrices = start_matrices("orthogonal", (3, 1), 16, dtype=torch.float64)
    fit = fit_generator(planted(matrices, sets=3, channels=6), group=4, share="set")
    torch.testing.assert_close(fit.matrix, matrices[:, 0])
    assert fit.standard_errors is not None
    assert fit.standard_errors.shape == (1, 3, 16, 16)
    assert fit.p_value <= 0.05  # of three sets, one deal in 36 changes nothing


def test_the_order_within_sets_is_solved_for() -> None:
    bank = planted(QUARTER_TURN, sets=16)
    shuffled = in_random_order(bank)
    assert fit_generator(shuffled, group=4).residual > 0.1
    fit = fit_generator(shuffled, group=4, method="unordered", shuffles=9)
    assert fit.residual < 1e-10
    assert fit.p_value == 0.1
    assert fit.arrangement is not None
    # A set determines the cycle of its filters, but not the direction.
    assert min(float((fit.matrix - turn).norm()) for turn in (QUARTER_TURN, QUARTER_TURN.T)) < 1e-8
    arranged = shuffled.unflatten(0, (16, 4))[torch.arange(16)[:, None], fit.arrangement]
    torch.testing.assert_close(lgn.act(fit.matrix, arranged[:, :-1]), arranged[:, 1:])


def test_the_order_is_solved_for_a_matrix_that_is_not_orthogonal() -> None:
    frame = torch.eye(16, dtype=torch.float64) + torch.randn(16, 16, dtype=torch.float64) / 8
    matrix = frame @ QUARTER_TURN @ torch.linalg.inv(frame)
    fit = fit_generator(in_random_order(planted(matrix, sets=16)), group=4, method="unordered", shuffles=1)
    assert min(float((fit.matrix - turn).norm()) for turn in (matrix, torch.linalg.inv(matrix))) < 1e-8


def unrelated(kind: str) -> Tensor:
    """A bank without a generator, whose norms, means or smoothness might pass for one.  (80, 2, 4, 4)"""
    sets, order = 20, 4
    filters = torch.randn(sets, order, 2, *PATCH, dtype=torch.float64)
    if "smooth" in kind:
        x = torch.arange(4.0, dtype=torch.float64)
        root = torch.linalg.cholesky(torch.exp(-((x[:, None] - x) ** 2) / 2) + 1e-9 * torch.eye(4))
        filters = root @ filters @ root.T
    if "alike channels" in kind:
        filters = filters[:, :, :1] + 0.3 * filters
    if "template" in kind:
        filters = filters + torch.randn(order, 2, *PATCH)
    if "norms by set" in kind:
        filters = filters * torch.randn(sets, 1, 1, 1, 1).exp()
    if "shrinking" in kind:
        filters = filters * 0.5 ** torch.arange(order).view(-1, 1, 1, 1)
    return filters.flatten(0, 1)


@pytest.mark.parametrize(
    "kind", ["plain", "norms by set", "shrinking", "template", "smooth, norms by set", "alike channels, norms by set"]
)
def test_free_filters_have_no_generator(kind: str) -> None:
    """One in ten banks without a generator has a p-value of at most 0.1, and no more than chance allows."""
    small = [fit_generator(unrelated(kind), group=4, shuffles=19, seed=seed).p_value <= 0.1 for seed in range(40)]
    assert sum(small) <= 9  # of 40: more happens with a probability of 1 in 100


def test_norms_hide_no_generator_and_make_none() -> None:
    """The p-value does not depend on the norms of filters at all."""
    bank = unrelated("plain")
    scaled = bank * torch.randn(len(bank), 1, 1, 1, dtype=torch.float64).exp()
    assert fit_generator(bank, group=4).p_value == fit_generator(scaled, group=4).p_value
    turned = planted(QUARTER_TURN, sets=20).unflatten(0, (20, 4)) * torch.randn(20, 1, 1, 1, 1).exp()
    assert fit_generator(turned.flatten(0, 1), group=4).p_value == 0.01


@pytest.mark.parametrize("method", ["least-squares", "procrustes"])
def test_one_set_can_show_nothing(method: Any) -> None:
    fit = fit_generator(planted(QUARTER_TURN, sets=1, channels=20), group=4, method=method)
    torch.testing.assert_close(fit.matrix, QUARTER_TURN)
    assert fit.p_value == 1


def known_on(dimension: int, noise: float, sets: int = 24) -> tuple[Tensor, Tensor]:
    """A generator that keeps a subspace, and a noisy bank of orbits in it.  (36, 36), (sets * 4, 1, 6, 6)"""
    frame = torch.linalg.qr(torch.randn(36, 36, dtype=torch.float64))[0]
    inside, outside = frame[:, :dimension], frame[:, dimension:]
    turn = torch.linalg.qr(torch.randn(dimension, dimension, dtype=torch.float64))[0]
    matrix = inside @ turn @ inside.T + outside @ outside.T
    bases = unvec(torch.randn(sets, 1, dimension, dtype=torch.float64) @ inside.T, (6, 6))
    bank = orbit(matrix, bases, 4).transpose(0, 1).flatten(0, 1)
    return matrix, bank + noise * bank.square().mean().sqrt() * torch.randn_like(bank)


@pytest.mark.parametrize("dimension", [24, 31, 36])
def test_noise_does_not_count_as_information(dimension: int) -> None:
    """By rank, the filters would determine 36 of 36 dimensions, with errors of the size of A."""
    matrix, bank = known_on(dimension, noise=0.01)
    with pytest.warns(UndeterminedWarning) if dimension < 36 else nullcontext():
        fit = fit_generator(bank, group=4)
    assert fit.identifiable_dimension == dimension
    assert fit.noise == pytest.approx(0.01, rel=0.1)
    assert float((fit.matrix - matrix).norm() / matrix.norm()) < 0.05
    assert fit.p_value == 0.01


def test_standard_errors_are_those_of_repeated_noise() -> None:
    bank = planted(QUARTER_TURN, sets=20)
    fits = [fit_generator(bank + 0.02 * torch.randn_like(bank), group=4, shuffles=19) for _ in range(60)]
    spread = torch.stack([fit.matrix for fit in fits]).std(0)
    reported = torch.cat([fit.standard_errors for fit in fits if fit.standard_errors is not None]).mean(0)
    assert float((spread / reported).mean()) == pytest.approx(1, abs=0.1)
    columns = torch.stack([spread.mean(0), reported.mean(0)])  # some pixels are known better
    assert float(torch.corrcoef(columns)[0, 1]) > 0.9


def test_filters_that_hardly_change_are_explained_by_a_scalar() -> None:
    same = torch.randn(20, 1, 1, *PATCH, dtype=torch.float64).expand(-1, 4, -1, -1, -1)
    noisy = same + 0.01 * torch.randn(20, 4, 1, *PATCH)
    fit, turned = fit_generator(noisy.flatten(0, 1), group=4), fit_generator(planted(QUARTER_TURN, sets=20), group=4)
    assert fit.p_value == turned.p_value == 0.01
    assert fit.trivial_residual < 0.02
    assert turned.trivial_residual > 0.5
    assert turned.found
    assert turned.effect > 0.99
    assert f"{turned.trivial_residual:.3g}" in repr(turned)


def test_as_many_pairs_as_dimensions_show_nothing() -> None:
    bank = planted(QUARTER_TURN, sets=16, order=2)
    with pytest.warns(UndeterminedWarning, match="16 pairs"):
        fit = fit_generator(bank, group=2)
    assert fit.identifiable_dimension == 16
    assert fit.p_value == 1
    assert fit.standard_errors is not None
    assert bool(fit.standard_errors.isinf().all())


def test_the_weight_of_a_convolution() -> None:
    fit = fit_generator(nn.Conv2d(3, 24, 3).weight, group=4)
    assert (fit.matrix.shape, fit.identifiable_dimension) == ((9, 9), 9)
    assert fit.residual > 0.5


def test_too_few_filters_determine_a_part() -> None:
    bank = planted(QUARTER_TURN, sets=3)
    with pytest.warns(UndeterminedWarning) as warned:
        fit = fit_generator(bank, group=4)
    assert len(warned) == 1
    assert fit.identifiable_dimension == 9
    assert fit.p_value == 1  # any nine pairs are fitted
    # It is the quarter turn on these filters, and an isometry elsewhere.
    seen = bank.unflatten(0, (3, 4))[:, :3]
    torch.testing.assert_close(lgn.act(fit.matrix, seen), lgn.act(QUARTER_TURN, seen))
    assert bool(torch.linalg.matrix_rank(fit.matrix) == 16)


def test_float32_rounding_does_not_count_as_information() -> None:
    """A flip maps W to its image and back, so that four filters determine as much as two."""
    bank = planted(operator("reflection", PATCH), sets=4).float()
    with pytest.warns(UndeterminedWarning):
        fit = fit_generator(bank, group=4)
    assert fit.identifiable_dimension == 8
    assert float(fit.matrix.abs().max()) < 10


@pytest.mark.parametrize(
    ("shape", "changes", "argument"),
    [
        ((8, 4), {}, "bank"),
        ((10, 1, 4, 4), {}, "group"),
        ((8, 1, 4, 4), {"group": "trivial"}, "group"),
        ((8, 1, 4, 4), {"method": "magic"}, "method"),
        ((8, 1, 4, 4), {"share": "network"}, "share"),
        ((8, 1, 4, 4), {"method": "unordered", "share": "set"}, "share"),
        ((16, 1, 3, 3), {"group": "D4", "share": "set"}, "share"),
        ((48, 1, 3, 3), {"group": "S4", "method": "unordered"}, "group"),
        ((8, 1, 4, 4), {"shuffles": 0}, "shuffles"),
    ],
)
def test_invalid_arguments_are_named(shape: tuple[int, ...], changes: dict[str, Any], argument: str) -> None:
    with pytest.raises(ValueError, match=argument):
        fit_generator(torch.zeros(shape), **{"group": 4, **changes})
    with pytest.raises(ValueError, match="bank"):
        fit_generator(torch.full((8, 1, 4, 4), torch.nan), group=4)
