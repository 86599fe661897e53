"""The symmetry benchmark: its image sets are what they say, its cells measure, and its page counts what is wrong."""

import pytest
import torch

from lgn.discovery.images.exact import act_square
from studies import symmetry
from studies.cells import cells_of
from studies.symmetry import images, later
from studies.symmetry.sets import CASES, ImageCase, channels, images_of, negatives, shifted, spirals, waves
from studies.symmetry.slight import mixed


def generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def test_what_is_planted_is_as_it_was_but_for_its_transformation() -> None:
    x = torch.randint(256, (50, 3, 8, 8), dtype=torch.uint8, generator=generator())
    made = CASES["mnist, quarter turns"].make(x, generator())
    assert all(
        any(torch.equal(one, torch.rot90(own, k, (-2, -1))) for k in range(4)) for one, own in zip(made, x, strict=True)
    )
    assert torch.equal(channels(x, generator()).sum(1), x.sum(1))
    turned = negatives(x, generator())
    assert {bool(torch.equal(one, own)) for one, own in zip(turned, x, strict=True)} == {True, False}
    assert torch.equal(torch.where(turned == x, x, 255 - turned), x)
    moved = shifted(x, generator())
    assert moved.shape == x.shape
    assert len({int((one == 0).sum()) for one in moved}) > 5


@pytest.mark.parametrize(
    ("make", "kept", "broken"),
    [
        (spirals, (1, 2, 3), (4, 5, 6, 7)),
        (waves, (2,), (1, 3, 4, 5, 6, 7)),
        (later.branches, (4,), (1, 2, 3, 5, 6, 7)),
    ],
)
def test_drawn_images_have_the_symmetries_that_are_said(make, kept, broken) -> None:  # type: ignore[no-untyped-def]
    """By another method: second moments, E[x_i x_j], are those of the moved images or are not."""
    drawn = (make(torch.empty(20_000, 1), generator()).float() / 255 - 0.5).flatten(1)
    size = int(drawn.shape[1] ** 0.5)
    half = len(drawn) // 2

    def moments(x: torch.Tensor) -> torch.Tensor:
        return x.T @ x / len(x)

    noise = float((moments(drawn[:half]) - moments(drawn[half:])).norm())
    for element in (*kept, *broken):
        moved = act_square(drawn[half:].view(-1, 1, size, size), element).flatten(1)
        gap = float((moments(drawn[:half]) - moments(moved)).norm())
        assert (gap < 1.3 * noise) == (element in kept), element


def test_a_mixture_has_its_share_of_what_breaks_it() -> None:
    make = mixed(lambda images, _: images, lambda images, _: 255 - images, 0.2)
    x = torch.zeros(5000, 1, 2, 2, dtype=torch.uint8)
    assert abs(float((make(x, generator()) == 255).double().mean()) - 0.2) < 0.02


def test_truth_knows_what_nobody_knows() -> None:
    upright = CASES["cifar10, upright"]
    assert upright.truth("flip columns") is None
    assert upright.truth("turn 90") == "broken"
    assert CASES["cifar10, flips"].truth("flip columns") == "kept"


def test_a_quick_cell_measures() -> None:
    keys = [cell.key for cell in cells_of(symmetry.MODULES, "images", quick=True)]
    assert {key["images"] for key in keys} == {f"digits, {CASES[name].name}" for name in images.QUICK}
    case = ImageCase("upright", "digits", CASES["mnist, upright"].make, ("flips",))
    assert len(images_of(case, 60, 0)[0]) == 60
    measured = images.measure(case, 60, 0, None)
    assert [row["truth"] for row in measured["rows"]] == ["broken"] * 4


def test_the_page_counts_and_names_what_is_wrong() -> None:
    def row(name: str, truth: str | None, verdict: str) -> dict[str, object]:
        about = {"family": "turns and flips", "told_apart": 0.5, "interval": [0.4, 0.6]}
        return {"name": name, "truth": truth, "verdict": verdict, **about}

    rows = [row("turn 90", "kept", "kept"), row("turn 180", "broken", "kept"), row("flip rows", None, "broken")]
    cell = {
        "key": {"part": "images", "images": "made up", "seed": 0},
        "rows": rows,
        "count": 9,
        "processor_seconds": 60.0,
    }
    result = {"cells": [cell]}
    assert symmetry.rates(result)["false kept"] == (1, 1)
    assert symmetry.rates(result)["kept found"] == (1, 1)
    page = symmetry.page(result)
    assert "turn 180 kept" in page
    assert "not counted" in page
    assert "no false kept: **no** (1 of 1)" in page
