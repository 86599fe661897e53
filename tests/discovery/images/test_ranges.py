"""The range of a line: exact for an ideal observer of images that are spread evenly over it."""

import pytest
import torch

from lgn.discovery.images.ranges import spread, within
from lgn.discovery.images.resampled import shifts
from lgn.discovery.images.statistic import Reading, read

CANDIDATES = shifts("right").candidates


def ideal(width: float, images: int = 40_000) -> list[Reading]:
    """Of an observer that knows each image's place, even over the width: it tells what moved out at one end."""
    places = width * torch.rand(images, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    found = []
    for candidate in CANDIDATES:
        assert candidate.parameter is not None
        inside = (places < candidate.parameter).double() + (places > width - candidate.parameter).double()
        right = 0.5 + inside.clamp(max=1) / 4 if candidate.parameter <= width / 2 else torch.ones_like(inside)
        found.append(read(torch.stack([right, right])))
    return found


@pytest.mark.parametrize("width", [5.0, 9.0, 20.0])
def test_the_width_is_that_of_the_images(width: float) -> None:
    found = spread(CANDIDATES, ideal(width))
    assert found is not None
    assert abs(found / width - 1) < 0.03


def test_what_cannot_be_measured_has_no_range() -> None:
    chance = [Reading(0.5, 0.005, 4000, 0.5, 0.005)] * 4
    plain = [Reading(0.99, 0.002, 4000, 0.9, 0.002)] * 4
    assert spread(CANDIDATES, chance) is None
    assert spread(CANDIDATES, plain) is None


def test_ranges_in_words() -> None:
    assert within("tilts", 90) == "turns within 45 degrees"
    assert within("shifts right", 8) == "shifts right within 4.0 pixels"
    assert within("scalings", 0.4) == "scalings within a factor of 1.22"
