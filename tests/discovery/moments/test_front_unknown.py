"""`lgn.discover_from_data(..., verify=True)`: what moments keep and what a network must tell apart, side by side."""

from dataclasses import replace

import pytest
import torch

import lgn
from lgn.discovery.moments.prepare import prepare
from lgn.front.unknown import verified
from studies.unknown import cases

EFFORT = 0.1


def test_a_map_that_is_kept_is_not_told_apart_and_one_that_is_not_is() -> None:
    """An exchange of coordinates on rows that have it, and the same claim on rows that have not."""
    x = cases.skewed(20_000, 4, 0).x
    x = x - x.mean(0)
    swap = torch.eye(4, dtype=torch.float64)[[1, 0, 2, 3]]
    which = torch.rand(len(x), 1, generator=torch.Generator().manual_seed(0)) < 0.5
    both = torch.where(which, x @ swap.T, x)
    found = lgn.discover_from_data(both, starts=10)
    assert [each.verified for each in found.kept] == [None]
    right, wrong = (verified(found, rows[:3_000], effort=EFFORT) for rows in (both, x))
    (element,) = right.kept
    assert element.verified is not None
    assert element.verified.verdict != "broken"
    assert "tell them apart" in right.sentence
    assert not wrong.kept
    assert wrong.group.name == "trivial"
    assert "tells it apart" in wrong.notes[-1]


@pytest.mark.slow  # a network looks at the images three times
def test_a_flip_is_judged_on_the_images_themselves() -> None:
    images = lgn.data.load("digits").train.samples
    flipped = cases.turned(images, "flip", 0).x
    found = lgn.discover_from_data(flipped, starts=10, verify=True, effort=EFFORT)
    (element,) = [each for each in found.elements if each.name == "flip columns"]
    assert element.verified is not None
    assert abs(element.verified.told_apart - 0.5) < 0.05
    rows = prepare(images, None, None, None, None, 0)[0].x
    upright = verified(replace(found, elements=(element,)), rows, images, effort=EFFORT)
    assert not upright.elements


def test_observers_are_not_asked_about_a_task() -> None:
    with pytest.raises(ValueError, match="verify must be False with labels"):
        lgn.discover_from_data(torch.randn(500, 4), torch.arange(500) % 2, verify=True)
