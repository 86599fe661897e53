"""`Answer`: rows, file, table and page, and its uses: augmentation, symmetrised models, networks and layers."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from answer.some_answer import some_answer
from torch import nn

import lgn
from lgn import apply
from lgn.answer import Answer
from lgn.groups import cyclic
from lgn.transforms import find


def test_kept_rows_are_those_with_the_verdict_kept() -> None:
    answer = some_answer()
    assert [row.name for row in answer.kept] == ["turn 90", "turn 180", "turn 270"]
    assert answer["own"].verdict == "undecided"
    with pytest.raises(ValueError, match="name"):
        answer["mirror"]


def test_a_file_keeps_everything_but_functions(tmp_path: Path) -> None:
    answer = some_answer((1, 2, 3, 0))
    answer.save(tmp_path / "answer.json")
    loaded = lgn.Answer.load(tmp_path / "answer.json")
    assert str(loaded) == str(answer)
    assert loaded.group == answer.group
    assert loaded.data.examples is not None
    assert answer.data.examples is not None
    assert torch.equal(loaded.data.examples, answer.data.examples)
    for stored, row in zip(loaded.rows, answer.rows, strict=True):
        assert stored.evidence == row.evidence
        x = answer.data.examples
        assert torch.equal(stored.transformation(x), row.transformation(x))


def test_a_file_without_images_has_no_samples(tmp_path: Path) -> None:
    for name in ("a.json", "a.html"):
        some_answer().save(tmp_path / name, images=False)
    assert lgn.Answer.load(tmp_path / "a.json").data.examples is None
    assert "<img" not in (tmp_path / "a.html").read_text()


def test_a_page_escapes_names_and_shows_every_row(tmp_path: Path) -> None:
    answer = some_answer()
    answer.save(tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text()
    assert all(row.name in page for row in answer.rows)
    assert page.count("<figure>") == 1 + len(answer.rows)


def test_a_table_has_a_line_per_row_and_no_empty_column() -> None:
    lines = str(some_answer()).splitlines()
    assert sum(line.startswith(("turn", "flip", "own")) for line in lines) == 5
    assert lines[-1] == some_answer().sentence
    assert "layer" not in lines[2]


@torch.no_grad()
def net_error(answer: Answer, model: nn.Module) -> float:
    """The largest change of the outputs, with classes moved along, relative to the outputs."""
    x = torch.rand(5, 1, 8, 8)
    action, outputs = answer.action, model(x)
    errors = []
    for element in range(action.group.order):
        moved = model(action.elements[element](x))
        moved = moved if action.classes is None else moved[:, action.classes[element]]
        errors.append(float((moved - outputs).norm() / outputs.norm()))
    return max(errors)


@pytest.mark.parametrize("permutation", [(), (1, 2, 3, 0)])
def test_networks_and_symmetrised_models_are_equivariant(permutation: tuple[int, ...]) -> None:
    answer = some_answer(permutation)
    network = answer.network(parameters=2_000, kernel_size=3, num_layers=2).eval()
    assert net_error(answer, network) < 1e-5
    model = answer.symmetrised(nn.Sequential(nn.Flatten(), nn.Linear(64, 4)))
    assert net_error(answer, model) < 1e-5
    assert net_error(answer, model.model) > 0.1


def test_augmentation_moves_labels_with_samples() -> None:
    answer = some_answer((1, 2, 3, 0))
    corner = torch.zeros(64, 1, 8, 8)
    corner[:, :, 0, 0] = 1
    moved, labels = answer.augmentation(seed=1)(corner, torch.zeros(64, dtype=torch.long))
    for turns in range(4):
        chosen = labels == turns
        assert chosen.any()
        assert torch.equal(moved[chosen], corner[chosen].rot90(turns, (2, 3)))


def test_layers_are_equivariant() -> None:
    options = some_answer().layers(3)
    layer = lgn.nn.GroupConv2d(1, 2, kernel_size=3, **options)
    x = torch.rand(2, 1, 8, 8)
    one, other = layer(x).unflatten(1, (2, 4)), layer(x.rot90(1, (2, 3))).unflatten(1, (2, 4))
    torch.testing.assert_close(one.rot90(1, (3, 4)).roll(1, 2), other)


def test_networks_leave_out_colours() -> None:
    turn, swap = find("turn 90"), find("exchange red and green")
    assert turn is not None
    assert swap is not None
    action = apply.action_of(cyclic(4) * cyclic(2), {"r": (turn, ()), "r2": (swap, ())})
    assert action.moving_pixels().group.order == 4
    with pytest.raises(ValueError, match="group"):
        action.matrices((3, 3))
    model = apply.network(action, "images", 3, 2, parameters=2_000, kernel_size=3, num_layers=2).eval()
    x = torch.rand(2, 3, 8, 8)
    torch.testing.assert_close(model(x), model(x.rot90(1, (2, 3))))


def test_symmetries_of_the_samples_alone_are_refused_for_classes() -> None:
    answer = some_answer()
    rows = tuple(replace(row, evidence=row.evidence[:1]) for row in answer.rows)
    samples_only = replace(answer, question="data", rows=rows)
    with pytest.raises(ValueError, match="question"):
        _ = samples_only.action
    unlabelled = replace(samples_only, data=replace(answer.data, classes=()))
    assert unlabelled.layers(3)["group"].order == 4


def test_layers_leave_out_elements_that_permute_classes() -> None:
    assert some_answer((1, 0, 3, 2)).layers(3)["group"].order == 2
    with pytest.raises(ValueError, match="group"):
        some_answer((1, 2, 3, 0)).layers(3)
