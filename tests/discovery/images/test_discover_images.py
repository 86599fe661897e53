"""`discover_images` on samples with known symmetries, end to end."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from lgn.answer import Answer, LabelMap, ToldApart
from lgn.discovery.images import discover_images
from lgn.transforms import operator
from studies.signals.cases import chirps, fields, process, pulses


def strokes(count: int, seed: int = 0) -> Tensor:
    """Bright upright L-shapes at random places: no turn and no flip is a symmetry.  uint8 (N, 1, 10, 10)"""
    generator = torch.Generator().manual_seed(seed)
    images = 20 * torch.rand(count, 1, 10, 10, generator=generator)
    places = torch.randint(0, 3, (count, 2), generator=generator)
    lengths = torch.randint(4, 7, (count,), generator=generator)
    for image, (row, column), length in zip(images, places.tolist(), lengths.tolist(), strict=True):
        image[0, row : row + length, column : column + 2] += 200
        image[0, row + length - 2 : row + length, column : column + length // 2 + 2] += 30
    return images.clamp(0, 255).to(torch.uint8)


def turned(images: Tensor, seed: int = 1) -> tuple[Tensor, Tensor]:
    turns = torch.randint(4, (len(images),), generator=torch.Generator().manual_seed(seed))
    return torch.stack([torch.rot90(x, k, (-2, -1)) for x, k in zip(images, turns.tolist(), strict=True)]), turns


@pytest.fixture(scope="module")
def of_turned() -> Answer:
    images, turns = turned(strokes(3000))
    return discover_images(images, turns, kind="images")


def test_upright_strokes_keep_nothing() -> None:
    found = discover_images(strokes(300), kind="images", effort=0.5)
    assert [row.verdict for row in found.rows] == ["broken"] * 7
    assert found.kept == ()
    assert found.group is not None
    assert found.group.order == 1
    assert found.question == "data"


def test_turned_strokes_keep_quarter_turns_that_permute_labels_of_the_turn(of_turned: Answer) -> None:
    assert [row.name for row in of_turned.kept] == ["turn 90", "turn 180", "turn 270"]
    assert (of_turned.question, of_turned.name, of_turned.data.count) == ("labels", "C4", 3000)
    assert [row.element for row in of_turned.rows] == ["r", "r^2", "r^3", None, None, None, None]
    row = of_turned["turn 90"]
    assert row.permutation == (1, 2, 3, 0)
    data, labels = row.of("data"), row.of("labels")
    assert data is not None
    assert labels is not None
    assert isinstance(labels.detail, LabelMap)
    assert labels.detail.effect == "permuted"
    assert isinstance(data.detail, ToldApart)
    assert data.detail.at_most is not None
    assert data.value < data.detail.at_most <= 0.55
    assert {one.name for one in data.detail.by_class} == {"0", "1", "2", "3"}
    quarter = operator("rotation", (5, 5), degrees=90)
    torch.testing.assert_close(of_turned.action.matrices((5, 5))[0], quarter)


def test_an_answer_is_stored_and_loaded(of_turned: Answer, tmp_path: Path) -> None:
    of_turned.save(tmp_path / "answer.json")
    again = Answer.load(tmp_path / "answer.json")
    assert str(again) == str(of_turned)
    assert again.group == of_turned.group
    assert again.settings == of_turned.settings


def test_the_question_about_data_ignores_labels(of_turned: Answer) -> None:
    images, turns = turned(strokes(3000))
    found = discover_images(images, turns, kind="images", of="data", candidates=("turns",), effort=0.2)
    assert found.question == "data"
    assert all(row.of("labels") is None for row in found.rows)
    assert all(row.verdict == row.evidence[0].verdict for row in found.rows)


def test_turns_of_two_families_are_one_row_each() -> None:
    found = discover_images(strokes(200), kind="images", candidates=("turns", "angles"), effort=0.1)
    assert len({row.name for row in found.rows}) == len(found.rows) == 7


def test_few_samples_are_undecided() -> None:
    images, _ = turned(strokes(200))
    found = discover_images(images, kind="images", candidates=("turns",), effort=0.2)
    assert {row.verdict for row in found.rows} == {"undecided"}
    for row in found.rows:
        assert row.needed is None or 200 < row.needed[0] <= row.needed[1]


def test_the_same_seed_gives_the_same_answer_and_leaves_the_random_state() -> None:
    torch.manual_seed(3)
    before, images = torch.get_rng_state(), strokes(200)
    one, other = (discover_images(images, kind="images", candidates=("flips",), seed=4, effort=0.3) for _ in range(2))
    assert [row.evidence for row in one.rows] == [row.evidence for row in other.rows]
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(images, strokes(200))


def test_a_rectangle_has_a_half_turn_and_two_flips() -> None:
    found = discover_images(strokes(100)[..., :7], kind="images", effort=0.2)
    assert [row.name for row in found.rows] == ["turn 180", "flip columns", "flip rows"]


def test_blocks_are_one_draw_on_one_side() -> None:
    images = torch.rand(200, 1, 10, 10, generator=torch.Generator().manual_seed(0))
    blocks = torch.arange(200) // 4
    found = discover_images(images, kind="images", candidates=("flips",), blocks=blocks, effort=0.1)
    single = discover_images(images, kind="images", candidates=("flips",), effort=0.1)
    assert found.settings["test_samples"] == 80  # 20 blocks of 50
    wide, narrow = ((row.evidence[0].interval or (0, 0)) for row in (found.rows[0], single.rows[0]))
    assert wide[1] - wide[0] > narrow[1] - narrow[0]


@pytest.mark.parametrize(("make", "name"), [(chirps, "reversal"), (pulses, "sign")])
def test_plain_breaks_of_signals_are_found(make: Any, name: str) -> None:
    x = make(400, torch.Generator().manual_seed(0))
    assert discover_images(x, kind="signals", candidates=(name,), effort=0.1)[name].verdict == "broken"


def test_the_reversal_of_a_stationary_process_is_not_broken() -> None:
    x = process(800, torch.Generator().manual_seed(0))
    row = discover_images(x, kind="signals", candidates=("reversal",), effort=0.05)["reversal"]
    assert row.verdict != "broken"
    assert abs(row.evidence[0].value - 0.5) < 0.06


def test_volumes_with_one_mirror_break_the_other_mirrors() -> None:
    x = fields(200, torch.Generator().manual_seed(0))
    found = discover_images(x, kind="volumes", candidates=("mirrors",), effort=0.05)
    first, second = (found[f"mirror {axis}"].evidence[0].value for axis in (1, 2))
    assert first < 0.6 < second
    assert found["mirror 3"].verdict == "broken"


GOOD = strokes(40)
LABELS = torch.arange(40) % 2


@pytest.mark.parametrize(
    ("samples", "options", "argument"),
    [
        (GOOD[:1], {}, "samples"),
        (GOOD[..., :2, :2], {}, "samples"),
        (GOOD[:1].expand(40, -1, -1, -1), {}, "samples"),
        (torch.full((40, 1, 8, 8), 7, dtype=torch.uint8), {}, "samples"),
        (GOOD.float() / 0, {}, "samples"),
        (GOOD, {"evidence": ("labels",)}, "labels"),
        (GOOD, {"of": "labels"}, "labels"),
        (GOOD, {"labels": 0 * LABELS}, "labels"),
        (GOOD, {"labels": LABELS[:3]}, "labels"),
        (GOOD, {"labels": LABELS, "class_names": ("one",)}, "class_names"),
        (GOOD, {"evidence": ("smell",)}, "evidence"),
        (GOOD, {"of": "smell"}, "of"),
        (GOOD, {"kind": "signals"}, "samples"),
        (GOOD, {"kind": "tables"}, "kind"),
        (GOOD, {"blocks": LABELS[:3]}, "blocks"),
        (GOOD, {"candidates": ("colour",)}, "candidate"),
        (GOOD, {"candidates": ()}, "candidates"),
        (GOOD, {"margin": 0.7}, "margin"),
        (GOOD, {"effort": 0.0}, "effort"),
        (GOOD, {"minutes": 0.0}, "minutes"),
        (torch.rand(40, 1, 30), {"kind": "signals", "labels": LABELS, "evidence": ("network",)}, "evidence"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused(samples: Tensor, options: dict[str, Any], argument: str) -> None:
    with pytest.raises(ValueError, match=argument) as refusal:
        discover_images(samples, **{"kind": "images", **options})
    assert "\n" not in str(refusal.value)
