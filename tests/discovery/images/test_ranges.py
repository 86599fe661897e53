"""The range of a line: exact for an ideal observer of samples that are spread evenly over it."""

import pytest
import torch

from lgn.discovery.images.ranges import range_note, range_width
from lgn.discovery.observers import mean_accuracy
from lgn.discovery.observers.accuracy import Accuracy
from lgn.discovery.observers.observing import FamilyEvidence
from lgn.transforms import families_of

FAMILY = families_of(("shifts",), "images", torch.zeros(1, 1, 20, 20))[0]


def evidence(accuracies: list[Accuracy]) -> FamilyEvidence:
    return FamilyEvidence(FAMILY, torch.zeros(2, 4, 0), tuple(accuracies), (None,) * 4)


def ideal(width: float, images: int = 40_000) -> list[Accuracy]:
    """The accuracies of an observer that knows the places, which are spread evenly over the width."""
    places = width * torch.rand(images, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    found = []
    for candidate in FAMILY.transformations:
        assert candidate.parameter is not None
        inside = (places < candidate.parameter).double() + (places > width - candidate.parameter).double()
        right = 0.5 + inside.clamp(max=1) / 4 if candidate.parameter <= width / 2 else torch.ones_like(inside)
        found.append(mean_accuracy(torch.stack([right, right])))
    return found


@pytest.mark.parametrize("width", [5.0, 9.0, 20.0])
def test_the_width_is_that_of_the_images(width: float) -> None:
    found = range_width(evidence(ideal(width)))
    assert found is not None
    assert abs(found / width - 1) < 0.03


def test_a_range_that_cannot_be_measured_is_none() -> None:
    chance = [Accuracy(0.5, 0.005, 4000, 0.5, 0.005)] * 4
    plain = [Accuracy(0.99, 0.002, 4000, 0.9, 0.002)] * 4
    assert range_width(evidence(chance)) is None
    assert range_width(evidence(plain)) is None


def test_a_range_is_within_the_tried_distances_and_those_that_are_told_apart() -> None:
    wide, narrow = (range_note(evidence(ideal(width)), "images") for width in (20.0, 5.0))
    assert wide is not None
    assert narrow is not None
    assert "4.0 pixels" in wide  # the largest shift, not half of 20
    assert "2.5 pixels" in narrow
    plain = [Accuracy(share, 0.002, 4000, share, 0.002) for share in (0.56, 0.9, 0.95, 0.99)]
    assert "2.0 pixels" in (range_note(evidence(plain), "images") or "")  # 1 / 0.12 / 2 = 4.2 is contradicted
