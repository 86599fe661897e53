"""The map between before and after, judged on pairs that were held out."""

from typing import Any

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


def test_no_map_is_found_between_unrelated_pairs(patches: torch.Tensor) -> None:
    centred = patches - patches.mean(0)
    fits = [fit_from_pairs(centred, centred[torch.randperm(len(centred))], seed=seed) for seed in range(4)]
    assert not any(fit.found for fit in fits)
    assert all(fit.residual > 0.9 for fit in fits)
    assert all(fit.effect < 0.02 for fit in fits)


BRIGHTNESS = {
    "a factor": lambda u, v, b: (b.exp() * u, b.exp() * v),
    "a summand": lambda u, v, b: (u + 2 * b, v + 2 * b),
}


@pytest.mark.parametrize("how", BRIGHTNESS)
def test_brightness_that_pairs_share_is_no_symmetry(how: str) -> None:
    """One number relates the patches beyond chance: half of the energy is explained, and no map is found."""
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
    """With noise on both sides, the best prediction of a patch is a blurred version of the other patch."""
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


def test_the_dimension_is_that_of_the_span() -> None:
    generator = torch.Generator().manual_seed(0)
    flat = torch.randn(500, 4, 1, generator=generator, dtype=torch.float64).expand(-1, -1, 4)  # constant along rows
    fit = fit_from_pairs(flat, act(TURN, flat))
    assert fit.identifiable_dimension == 4
    assert fit.found
    torch.testing.assert_close(act(fit.matrix, flat), act(TURN, flat), atol=1e-6, rtol=0)


def test_channels_are_further_pairs(patches: torch.Tensor) -> None:
    coloured = patches.unflatten(0, (-1, 2))
    torch.testing.assert_close(fit_from_pairs(coloured, act(TURN, coloured)).matrix, TURN, atol=1e-6, rtol=0)


@pytest.mark.parametrize(
    ("shapes", "changes", "argument"),
    [
        (((5, 4, 4), (6, 4, 4)), {}, "gx"),
        (((5, 16), (5, 16)), {}, "gx"),
        (((2, 4, 4), (2, 4, 4)), {}, "x must"),
        (((9, 4, 4), (9, 4, 4)), {"held_out": 1.0}, "held_out"),
        (((9, 4, 4), (9, 4, 4)), {"shuffles": 0}, "shuffles"),
    ],
)
def test_invalid_arguments_are_named(shapes: tuple[tuple[int, ...], ...], changes: Any, argument: str) -> None:
    with pytest.raises(ValueError, match=argument):
        fit_from_pairs(torch.randn(shapes[0]), torch.randn(shapes[1]), **changes)
    with pytest.raises(ValueError, match="finite"):
        fit_from_pairs(torch.full((9, 4, 4), torch.inf), torch.zeros(9, 4, 4))
