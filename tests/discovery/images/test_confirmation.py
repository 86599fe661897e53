"""Observers confirm maps that moments keep, and break maps that the data do not have."""

from dataclasses import replace

import pytest
import torch

import lgn.data
from lgn.answer import Answer
from lgn.discovery.images.confirmation import confirm
from lgn.discovery.moments import discover_moments
from lgn.transforms import symmetry_of_square
from studies.unknown import cases

EFFORT = 0.1


@pytest.fixture(scope="module")
def exchanged() -> tuple[torch.Tensor, torch.Tensor, Answer]:
    """Rows without a symmetry, the same rows of which half are exchanged, and what moments say of these."""
    x = cases.skewed(20_000, 4, 0).x
    x = x - x.mean(0)
    which = torch.rand(len(x), 1, generator=torch.Generator().manual_seed(0)) < 0.5
    both = torch.where(which, x[:, [1, 0, 2, 3]], x)
    answer = discover_moments(both[:16_000], kind="tables", starts=10)
    return x[16_000:], both[16_000:], answer


def test_a_map_of_a_table_is_confirmed(exchanged: tuple[torch.Tensor, torch.Tensor, Answer]) -> None:
    _, rows, answer = exchanged
    found = confirm(answer, rows, kind="tables", effort=EFFORT)
    (row,) = found.kept
    evidence = row.of("data")
    assert evidence is not None
    assert evidence.verdict != "broken"
    assert found.group == answer.group
    assert row.of("moments") == answer.kept[0].of("moments")


def test_a_map_that_observers_tell_apart_is_broken(exchanged: tuple[torch.Tensor, torch.Tensor, Answer]) -> None:
    rows, _, answer = exchanged
    found = confirm(answer, rows, kind="tables", effort=EFFORT)
    assert not found.kept
    assert found.rows[0].verdict == "broken"
    assert found.name == "trivial"
    assert found.group is not None
    assert found.group.order == 1
    assert len(found.notes) == len(answer.notes) + 2
    assert found.data.count == 20_000


def test_an_undecided_map_needs_samples_for_moments_and_observers(
    exchanged: tuple[torch.Tensor, torch.Tensor, Answer],
) -> None:
    _, rows, answer = exchanged
    undecided = replace(answer.rows[0], verdict="undecided", needed=(32_000, 48_000))
    found = confirm(replace(answer, rows=(undecided,)), rows, kind="tables")
    assert found.rows[0].needed == (40_000, 60_000)
    assert "40,000" in found.sentence


@pytest.mark.slow  # networks look at 5,000 images twice
def test_a_turn_is_judged_on_the_images_themselves() -> None:
    images = lgn.data.load("digits").train.samples
    flipped = cases.turned(images, "flip", 0).x
    answer = discover_moments(flipped, kind="images", starts=10)
    row = replace(answer["flip columns"], verdict="kept", element="r", transformation=symmetry_of_square(4))
    answer = replace(answer, rows=(row,), group=lgn.groups.cyclic(2))
    evidence = confirm(answer, flipped, kind="images", effort=EFFORT).rows[0].of("data")
    assert evidence is not None
    assert abs(evidence.value - 0.5) < 0.05
    assert confirm(answer, images, kind="images", effort=EFFORT).rows[0].verdict == "broken"
