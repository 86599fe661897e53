"""The generator of a bank: found where there is one, with what the bank can say about it."""

import pytest
import torch
from torch import Tensor, nn

import lgn
from lgn.algebra import orbit
from lgn.discovery import UndeterminedWarning, fit_generator
from lgn.generators import start_matrices
from lgn.measures import orthogonality_error
from lgn.operators import operator

PATCH = (4, 4)
QUARTER_TURN = operator("rotation", PATCH, degrees=90)


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


def planted(matrix: Tensor, sets: int, order: int = 4, channels: int = 1) -> Tensor:
    """A bank of orbits, set-major.  (sets * order, channels, 4, 4)"""
    return orbit(matrix, torch.randn(sets, channels, *PATCH, dtype=torch.float64), order).transpose(0, 1).flatten(0, 1)


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
    fit = fit_generator(planted(matrix, sets=20), order=4)
    torch.testing.assert_close(fit.matrix, matrix, atol=1e-8, rtol=1e-8)
    assert fit.residual < 1e-10
    assert fit.identifiable_dimension == 16
    assert fit.p_value == 0.01


def test_a_generator_per_set() -> None:
    matrices = start_matrices("orthogonal", (3, 1), 16, dtype=torch.float64)
    fit = fit_generator(planted(matrices, sets=3, channels=6), order=4, share="set")
    torch.testing.assert_close(fit.matrix, matrices[:, 0])
    assert fit.p_value == 0.01


def test_procrustes_is_orthogonal_and_better_with_noise() -> None:
    bank = planted(QUARTER_TURN, sets=6)
    noisy = bank + 0.05 * torch.randn_like(bank)
    orthogonal, free = fit_generator(noisy, 4, "procrustes"), fit_generator(noisy, 4)
    assert float(orthogonality_error(orthogonal.matrix)) < 1e-12
    errors = [float((fit.matrix - QUARTER_TURN).norm() / 4) for fit in (orthogonal, free)]
    assert errors[0] < 0.1 < errors[1]


def test_the_order_within_sets_is_solved_for() -> None:
    bank = planted(QUARTER_TURN, sets=16)
    shuffled = bank.unflatten(0, (16, 4))[torch.arange(16)[:, None], torch.rand(16, 4).argsort(1)].flatten(0, 1)
    assert fit_generator(shuffled, 4).residual > 0.1
    fit = fit_generator(shuffled, 4, "unordered", shuffles=9)
    assert fit.residual < 1e-10
    assert fit.p_value == 0.1
    # A set says in which circle it turns, not in which direction.
    assert min(float((fit.matrix - turn).norm()) for turn in (QUARTER_TURN, QUARTER_TURN.T)) < 1e-8
    arranged = shuffled.unflatten(0, (16, 4))[torch.arange(16)[:, None], fit.arrangement]
    torch.testing.assert_close(lgn.act(fit.matrix, arranged[:, :-1]), arranged[:, 1:])


def test_the_order_is_solved_for_a_group_that_is_not_orthogonal() -> None:
    frame = torch.eye(16, dtype=torch.float64) + torch.randn(16, 16, dtype=torch.float64) / 8
    matrix = frame @ QUARTER_TURN @ torch.linalg.inv(frame)
    bank = planted(matrix, sets=16)
    shuffled = bank.unflatten(0, (16, 4))[torch.arange(16)[:, None], torch.rand(16, 4).argsort(1)].flatten(0, 1)
    fit = fit_generator(shuffled, 4, "unordered", shuffles=1)
    assert min(float((fit.matrix - turn).norm()) for turn in (matrix, torch.linalg.inv(matrix))) < 1e-8


def test_free_filters_have_no_generator() -> None:
    """Of banks without one, one in ten has a p-value of at most 0.1, and no more than chance allows many."""
    small = [fit_generator(torch.randn(80, 1, *PATCH), 4, shuffles=19, seed=seed).p_value <= 0.1 for seed in range(40)]
    assert sum(small) <= 9  # of 40: more happens with a probability of 1 in 100


def test_the_weight_of_a_trained_convolution_can_be_asked() -> None:
    layer = nn.Conv2d(3, 24, 3)
    fit = fit_generator(layer.weight, order=4)
    assert fit.matrix.shape == (9, 9)
    assert fit.residual > 0.5
    assert "determined on 9 of 9" in repr(fit)


def test_too_few_filters_are_said_to_be_too_few() -> None:
    bank = planted(QUARTER_TURN, sets=3)
    with pytest.warns(UndeterminedWarning, match="on 9 of 16 dimensions.*raise num_sets") as warned:
        fit = fit_generator(bank, order=4)
    assert len(warned) == 1
    assert fit.identifiable_dimension == 9
    assert fit.p_value == 1  # any nine pairs are met
    # On what was seen it is the quarter turn, and elsewhere an isometry.
    seen = bank.unflatten(0, (3, 4))[:, :3]
    torch.testing.assert_close(lgn.act(fit.matrix, seen), lgn.act(QUARTER_TURN, seen))
    assert bool(torch.linalg.matrix_rank(fit.matrix) == 16)


def test_float32_rounding_is_not_taken_for_information() -> None:
    """A flip maps W to its image and back: order 4 shows no more than order 2."""
    bank = planted(operator("reflection", PATCH), sets=4).float()
    with pytest.warns(UndeterminedWarning):
        fit = fit_generator(bank, order=4)
    assert fit.identifiable_dimension == 8
    assert float(fit.matrix.abs().max()) < 10


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"bank": torch.zeros(8, 4, 4), "order": 4}, r"bank must be .* got shape \(8, 4, 4\)"),
        ({"bank": torch.zeros(10, 1, 4, 4), "order": 4}, "order must .* divide the 10 filters of bank, got 4"),
        ({"bank": torch.zeros(8, 1, 4, 4), "order": 1}, "order must be at least 2"),
        ({"bank": torch.full((8, 1, 4, 4), torch.nan), "order": 4}, "bank must be finite"),
        ({"bank": torch.zeros(8, 1, 4, 4), "order": 4, "method": "magic"}, "method must be one of .* got 'magic'"),
        ({"bank": torch.zeros(8, 1, 4, 4), "order": 4, "share": "network"}, "share must be one of .* got 'network'"),
        ({"bank": torch.zeros(8, 1, 4, 4), "order": 4, "method": "unordered", "share": "set"}, "share must be 'layer'"),
        ({"bank": torch.zeros(7, 1, 4, 4), "order": 7, "method": "unordered"}, "order must be at most 6"),
        ({"bank": torch.zeros(8, 1, 4, 4), "order": 4, "shuffles": 0}, "shuffles must be at least 1, got 0"),
    ],
)
def test_bad_input_is_named(arguments: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fit_generator(**arguments)
