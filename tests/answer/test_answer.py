"""`Answer`: rows, file, table, page."""

from pathlib import Path

import pytest
import torch
from answer.some_answer import some_answer

import lgn


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
