"""The study of symmetry: the symmetries of its image sets, its verdicts, and its counts."""

import json
from pathlib import Path

import pytest
import torch

from lgn.transforms import act_square
from studies.render import Results
from studies.symmetry.cases import CASES, ImageCase, images_of, measure
from studies.symmetry.sets import branches, channels, mixed, negatives, shifted, spirals, waves
from studies.symmetry.tables import TABLES, rates


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
        (branches, (4,), (1, 2, 3, 5, 6, 7)),
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


def test_verdicts_stand_next_to_the_truth() -> None:
    case = ImageCase("upright", "digits", CASES["mnist, upright"].make, ("flips",))
    assert len(images_of(case, 60, 0)[0]) == 60
    assert [row["truth"] for row in measure(case, 60, 0)["rows"]] == ["broken"] * 4


def test_tables_count_and_name_what_is_wrong(tmp_path: Path) -> None:
    def row(name: str, truth: str | None, verdict: str) -> dict[str, object]:
        return {"name": name, "family": "turns and flips", "truth": truth, "verdict": verdict, "told_apart": 0.5}

    rows = [row("turn 90", "kept", "kept"), row("turn 180", "broken", "kept"), row("flip rows", None, "broken")]
    cell = {"key": {"part": "images", "images": "made up", "seed": 0}, "rows": rows, "count": 9}
    (tmp_path / "symmetry.json").write_text(json.dumps({"cells": [cell]}))
    results = Results(tmp_path / "symmetry.json")
    assert rates(results)["false kept"] == (1, 1)
    assert rates(results)["kept found"] == (1, 1)
    rows = [list(row) for row in TABLES["images"](results).rows]
    assert ["made up", "turns, broken", "0.500", "1", "0 of 1", "turn 180 kept"] in rows
    assert ["made up", "flips, not known", "0.500", "1", "not counted", "broken 1"] in rows
