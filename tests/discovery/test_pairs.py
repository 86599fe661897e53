"""The map between before and after, judged on pairs that were held out."""

import pytest
import torch

import lgn.data
from lgn.algebra import act
from lgn.data.images import ImageSet
from lgn.discovery import fit_from_pairs
from lgn.operators import operator

TURN = operator("rotation", (4, 4), degrees=90)


@pytest.fixture(scope="module")
def patches(digits: ImageSet) -> torch.Tensor:
    return lgn.data.patches(digits.train.images, 4, 2000, seed=0).double()[:, 0]


def test_the_map_is_found(patches: torch.Tensor) -> None:
    fit = fit_from_pairs(patches, act(TURN, patches))
    assert fit.found
    torch.testing.assert_close(fit.matrix, TURN, atol=1e-6, rtol=0)
    assert fit.residual < 1e-6
    assert fit.identifiable_dimension == 16
    assert len(fit.singular_values) == 16


def test_unrelated_pairs_are_said_to_be_unrelated(patches: torch.Tensor) -> None:
    centred = patches - patches.mean(0)
    fits = [fit_from_pairs(centred, centred[torch.randperm(len(centred))], seed=seed) for seed in range(4)]
    assert sum(fit.found for fit in fits) <= 1  # each with a probability of 1 in 20
    assert all(fit.residual > 0.9 for fit in fits)
    assert "no symmetry found" in repr(fits[0]) or fits[0].found


def test_what_was_not_seen_is_not_known() -> None:
    generator = torch.Generator().manual_seed(0)
    flat = torch.randn(500, 4, 1, generator=generator, dtype=torch.float64).expand(-1, -1, 4)  # constant along rows
    fit = fit_from_pairs(flat, act(TURN, flat))
    assert fit.identifiable_dimension == 4
    assert fit.eigengap > 1e6
    assert fit.found
    torch.testing.assert_close(act(fit.matrix, flat), act(TURN, flat), atol=1e-6, rtol=0)


def test_channels_are_further_pairs(patches: torch.Tensor) -> None:
    coloured = patches.unflatten(0, (-1, 2))
    torch.testing.assert_close(fit_from_pairs(coloured, act(TURN, coloured)).matrix, TURN, atol=1e-6, rtol=0)


@pytest.mark.parametrize(
    ("shapes", "changes", "message"),
    [
        (((5, 4, 4), (6, 4, 4)), {}, r"x and gx must both be .* got \(5, 4, 4\) and \(6, 4, 4\)"),
        (((5, 16), (5, 16)), {}, "x and gx must both be"),
        (((2, 4, 4), (2, 4, 4)), {}, "x must hold enough pairs"),
        (((9, 4, 4), (9, 4, 4)), {"held_out": 1.0}, "held_out must lie between 0 and 1, got 1.0"),
        (((9, 4, 4), (9, 4, 4)), {"shuffles": 0}, "shuffles must be at least 1"),
    ],
)
def test_bad_input_is_named(shapes: tuple, changes: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fit_from_pairs(torch.randn(shapes[0]), torch.randn(shapes[1]), **changes)
