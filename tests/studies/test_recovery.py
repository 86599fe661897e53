"""The recovery benchmark: cells that measure what they say, and are kept."""

from pathlib import Path

import pytest
import torch

from lgn.files import read_json
from studies import recovery
from studies.cells import cells_of, run_cells
from studies.recovery import maximum, planted, views


@pytest.mark.parametrize("task", planted.TASKS)
@pytest.mark.parametrize("sets", [4, 12, 16])
def test_every_planted_generator_is_found(task: str, sets: int) -> None:
    result = planted.measure("digits", None, task, sets, 0.0, "least-squares", 0, steps=0)
    assert result["error"] <= 1e-3


def test_permutations_are_found_with_noise() -> None:
    for task in ("rotation 90", "flip", "shift"):
        assert planted.measure("digits", None, task, 12, 0.01, "procrustes", 0, steps=0)["error"] <= 4e-2


def test_the_error_counts_the_identifiable_subspace_alone() -> None:
    matrix = torch.eye(36, dtype=torch.float64)
    before = torch.eye(36, dtype=torch.float64)[:, :3]
    wrong_elsewhere = matrix.clone()
    wrong_elsewhere[:, 3:] = 7
    assert planted.identifiable_error(wrong_elsewhere, matrix, before) == 0
    wrong_here = matrix.clone()
    wrong_here[0, 0] = 0
    assert planted.identifiable_error(wrong_here, matrix, before) == pytest.approx(3**-0.5)


@pytest.mark.slow
def test_a_turn_through_a_maximum() -> None:
    result = maximum.measure("digits", None, 32, 0, "max-affine")
    assert result["solved_sets"] == 32
    assert result["error"] <= 1e-5


def test_views_are_what_the_tasks_say() -> None:
    images = torch.randint(256, (3000, 1, 8, 8), dtype=torch.uint8)
    turned = views.some_views(images, "quarter turns", 0)
    assert turned.shape == (views.IMAGES, views.VIEWS, 1, 8, 8)
    first = turned[0, 0]
    assert all(any(torch.equal(view, first.rot90(k, (-2, -1))) for k in range(4)) for view in turned[0])
    unrelated = views.some_views(images, "unrelated", 0).flatten(0, 1).flatten(1)
    assert len(unrelated.unique(dim=0)) == len(unrelated)


def test_finished_cells_are_kept_and_the_page_is_made_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "results" / "recovery.json"
    monkeypatch.setattr(planted, "TASKS", planted.TASKS[:1])
    told: list[tuple[int, int]] = []
    first = run_cells(recovery.MODULES, True, out, ["planted"], progress=lambda *done: told.append(done))
    count = len(first["cells"])
    assert told == [(number, count) for number in range(len(list(cells_of(recovery.MODULES, "planted", quick=True))))]
    again = run_cells(recovery.MODULES, True, out, ["planted"], progress=lambda *done: told.append(done))
    assert len(told) == len(first["cells"])  # nothing was measured twice
    assert again["cells"] == first["cells"]
    text = recovery.page(read_json(out))
    assert "| rotation 90 |" in text
    assert "least-squares, K=12" in text
    with pytest.raises(ValueError, match=r"out must be a new file or one of the same kind of run, .* has a quick one"):
        run_cells(recovery.MODULES, False, out, ["planted"])
    with pytest.raises(ValueError, match=r"parts must be of planted, .* got 'magic'"):
        run_cells(recovery.MODULES, True, None, ["magic"])
