"""`lgn.symmetries` on images whose symmetries are known, end to end; what cannot be asked is refused in a sentence."""

from pathlib import Path

import pytest
import torch
from torch import Tensor

import lgn
from lgn.discovery.images.row import Row


def strokes(count: int, seed: int = 0) -> Tensor:
    """Bright L-shapes at random places, all upright: no turn and no flip keeps their law.  uint8 (N, 1, 10, 10)"""
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
def of_turned() -> lgn.Symmetries:
    images, turns = turned(strokes(3000))
    return lgn.symmetries(images, turns)


def test_upright_strokes_keep_nothing() -> None:
    found = lgn.symmetries(strokes(300), effort=0.5)
    assert [row.images for row in found.rows] == ["broken"] * 7
    assert found.kept == ()
    assert found.group.name == "trivial"
    assert found.sentence == "The images change under everything that was tried: no turn or flip is kept."


def test_turned_strokes_keep_the_quarter_turns_which_permute_labels_that_are_the_turn(
    of_turned: lgn.Symmetries,
) -> None:
    assert of_turned.kept == ("turn 90", "turn 180", "turn 270")
    assert of_turned.group.name == "C4"
    assert "quarter turns (C4), and they permute their labels" in of_turned.sentence
    row = of_turned.row("turn 90")
    assert row.labels == "permuted"
    assert row.label_evidence is not None
    assert row.label_evidence.permutation == (1, 2, 3, 0)
    assert row.interval[0] < row.told_apart < row.interval[1]
    assert row.at_most is not None
    assert row.told_apart < row.at_most <= 0.55
    assert {each.name for each in row.classes} == {"0", "1", "2", "3"}
    # The group goes into layers: one generator, a quarter turn of patches.
    torch.testing.assert_close(of_turned.generators(5)[0], lgn.transforms.operator("rotation", (5, 5), degrees=90))


def test_what_was_found_is_shown_saved_and_loaded(of_turned: lgn.Symmetries, tmp_path: Path) -> None:
    of_turned.save(tmp_path / "symmetries.json")
    again = lgn.Symmetries.load(tmp_path / "symmetries.json")
    assert again == of_turned
    assert again.group == of_turned.group
    assert str(again).splitlines()[-1] == of_turned.sentence
    assert "turn 180" in again._repr_html_()


def test_few_images_are_undecided() -> None:
    images, _ = turned(strokes(200))
    found = lgn.symmetries(images, candidates=("turns",), effort=0.2)
    assert {row.images for row in found.rows} == {"undecided"}
    assert all(row.needed > 200 for row in found.rows)
    assert "Undecided with 200 images" in found.sentence


def test_the_same_seed_gives_the_same_answer_and_leaves_torchs_random_numbers() -> None:
    torch.manual_seed(3)
    before = torch.get_rng_state()
    one, other = (lgn.symmetries(strokes(200), candidates=("flips",), seed=4, effort=0.3) for _ in range(2))
    assert one == other
    assert torch.equal(torch.get_rng_state(), before)


def test_a_rectangle_has_half_turns_and_two_flips() -> None:
    found = lgn.symmetries(strokes(100)[..., :7], effort=0.2)
    assert [row.name for row in found.rows] == ["turn 180", "flip columns", "flip rows"]


def test_a_set_that_is_not_closed_gives_its_largest_subgroup(of_turned: lgn.Symmetries) -> None:
    from dataclasses import replace

    def only(*names: str) -> lgn.Symmetries:
        def changed(row: Row) -> Row:
            return replace(row, images="kept" if row.name in names else "broken")

        return replace(of_turned, rows=tuple(changed(row) for row in of_turned.rows))

    assert only("turn 90", "turn 270").group.name == "trivial"  # their square is broken
    assert only("turn 180", "flip columns").group.name in ("C2",)
    assert only("turn 180", "flip columns", "flip rows").group.name == "C2 x C2"
    every = only(*(row.name for row in of_turned.rows))
    assert every.group.name == "D4"
    assert every.generators_kept == ("turn 90", "flip columns")
    start = list(every.generators(3))
    layer = lgn.nn.GroupConv2d(1, 2, kernel_size=3, group=every.group, generator="fixed", start=start)
    with torch.no_grad():
        orbit = layer.filters()[:8, 0]
    for moved in (torch.rot90(orbit, 1, (-2, -1)), orbit.flip(-1)):  # a set is closed under what it was made with
        distances = (moved[:, None] - orbit[None]).flatten(2).norm(dim=2)
        assert sorted(distances.argmin(1).tolist()) == list(range(8))
        assert float(distances.min(1).values.max()) < 1e-5
    assert only("transposition").generators_kept == ("transposition",)


GOOD = strokes(40)
LABELS = torch.arange(40) % 2


@pytest.mark.parametrize(
    ("images", "options", "words"),
    [
        (GOOD[:1], {}, "images must be at least 20, got 1"),
        (GOOD[0, 0], {}, "images must be a tensor"),
        (GOOD[..., :2, :2], {}, "at least 4x4 pixels"),
        (GOOD[:1].expand(40, -1, -1, -1), {}, "at least 20 that differ, got 1"),
        (torch.full((40, 1, 8, 8), 7, dtype=torch.uint8), {}, "must not be constant"),
        (GOOD.float() / 0, {}, "images must be finite"),
        (GOOD, {"evidence": ("labels",)}, "labels must be given for evidence 'labels'"),
        (GOOD, {"labels": 0 * LABELS, "evidence": ("labels",)}, "at least 2 classes"),
        (GOOD, {"labels": LABELS[:3]}, "labels must be whole numbers"),
        (GOOD, {"evidence": ("smell",)}, "evidence must be of images, labels, network"),
        (GOOD, {"candidates": ("colour",)}, "3 channels"),
        (GOOD, {"candidates": [("cut", lambda x: x[..., 1:])]}, "must return images of the shape"),
        (GOOD, {"margin": 0.7}, "margin must lie between 0 and 0.5"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_sentence(images: Tensor, options: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words) as refusal:
        lgn.symmetries(images, **options)  # type: ignore[arg-type]
    assert "\n" not in str(refusal.value)
