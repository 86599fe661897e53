"""The map between before and after, judged on pairs that were held out."""

import pytest
import torch

import lgn.data
from lgn.actions import act
from lgn.data.dataset import DataSet
from lgn.discovery.filters import fit_from_pairs
from lgn.transforms import operator

TURN = operator("rotation", (4, 4), degrees=90)


@pytest.fixture(scope="module")
def patches(digits: DataSet) -> torch.Tensor:
    return lgn.data.patches(digits.train.samples, 4, 2000, seed=0).double()[:, 0]


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
    assert not any(fit.found for fit in fits)
    assert all(fit.residual > 0.9 for fit in fits)
    assert all(fit.effect < 0.02 for fit in fits)
    assert "no symmetry found" in repr(fits[0])


BRIGHTNESS = {
    "a factor": lambda u, v, b: (b.exp() * u, b.exp() * v),
    "a summand": lambda u, v, b: (u + 2 * b, v + 2 * b),
}


@pytest.mark.parametrize("how", BRIGHTNESS)
def test_brightness_that_pairs_share_is_no_symmetry(how: str) -> None:
    """Related beyond all chance, by one number: half of the energy is explained, and nothing found."""
    found, explained = [], []
    for seed in range(10):
        generator = torch.Generator().manual_seed(seed)
        u, v = torch.rand(2, 2000, 4, 4, generator=generator, dtype=torch.float64)
        shared = torch.randn(2000, 1, 1, generator=generator, dtype=torch.float64)
        fit = fit_from_pairs(*BRIGHTNESS[how](u, v, shared), shuffles=19)
        found.append(fit.found)
        explained.append(fit.residual < 0.7)
    assert all(explained)
    assert not any(found)


@pytest.mark.parametrize("noises", [(0.0, 0.0), (0.0, 0.5), (0.5, 0.5)])
def test_the_identity_is_trivial(patches: torch.Tensor, noises: tuple[float, float]) -> None:
    """With noise on both sides, a patch is best predicted by blurring the other: no symmetry either."""
    torch.manual_seed(0)
    x, gx = (patches + noise * patches.std() * torch.randn_like(patches) for noise in noises)
    for pair in ((x, gx), (x, -2 * gx)):
        fit = fit_from_pairs(*pair)
        assert not fit.found
        assert fit.effect < 0.02
        assert fit.residual == pytest.approx(fit.trivial_residual, abs=0.01)


def test_one_number_of_a_patch_is_trivial(patches: torch.Tensor) -> None:
    fit = fit_from_pairs(patches, patches.mean((1, 2), keepdim=True).expand_as(patches))
    assert fit.trivial_residual < 1e-6
    assert not fit.found


@pytest.mark.parametrize(
    "matrix",
    [TURN, operator("reflection", (4, 4)), operator("rotation", (4, 4), degrees=10, mode="bilinear")],
    ids=["turn", "flip", "small turn"],
)
def test_a_map_is_found_through_noise_and_shared_brightness(patches: torch.Tensor, matrix: torch.Tensor) -> None:
    torch.manual_seed(0)
    x = patches + patches.std() * torch.randn(len(patches), 1, 1)
    gx = act(matrix, x)
    noise = (0.05 if matrix is not TURN else 0.5) * patches.std() * torch.randn_like(gx)
    fit = fit_from_pairs(x, gx + noise)
    assert fit.found
    assert 0 < fit.residual < fit.trivial_residual
    assert fit.effect > 0.2


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
