from typing import Any

import pytest
import torch

from lgn.data import DataError, patches


def numbered(count: int, channels: int, height: int, width: int) -> torch.Tensor:
    """Every pixel has a value of its own."""
    return torch.arange(count * channels * height * width).reshape(count, channels, height, width)


def test_a_patch_is_a_window_of_one_image() -> None:
    images = numbered(5, 3, 7, 9)
    windows = images.unfold(2, 2, 1).unfold(3, 4, 1).permute(0, 2, 3, 1, 4, 5).reshape(-1, 3, 2, 4)
    every = {tuple(window.flatten().tolist()) for window in windows}
    drawn = patches(images, (2, 4), 500, seed=0)
    assert drawn.shape == (500, 3, 2, 4)
    assert {tuple(patch.flatten().tolist()) for patch in drawn} <= every


def test_all_positions_are_equally_likely() -> None:
    images = numbered(3, 1, 5, 6)
    corners = patches(images, 3, 24_000, seed=1)[:, 0, 0, 0]
    counts = torch.bincount(corners, minlength=images.numel()).reshape(3, 5, 6)
    allowed = counts[:, :3, :4]  # (5 - 3 + 1) x (6 - 3 + 1) positions of each image
    assert int(allowed.sum()) == 24_000
    # Chi-squared with 35 degrees of freedom: above 80 once in 40,000 seeds, and this seed is fixed.
    expected = 24_000 / 36
    assert float(((allowed - expected) ** 2 / expected).sum()) < 80


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float32])
def test_the_dtype_stays_and_the_seed_decides(dtype: torch.dtype) -> None:
    images = torch.randint(256, (10, 1, 8, 8)).to(dtype)
    first, again, other = (patches(images, 3, 50, seed=seed) for seed in (4, 4, 5))
    assert first.dtype == dtype
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


@pytest.mark.parametrize(
    ("size", "count", "argument"),
    [(0, 1, "size"), (9, 1, "size"), ((8, 9), 1, "size"), ((-1, 2), 1, "size"), (2, 0, "count")],
)
def test_wrong_arguments_are_named(size: Any, count: int, argument: str) -> None:
    with pytest.raises(DataError, match=argument):
        patches(torch.zeros(1, 1, 8, 8), size, count, 0)
