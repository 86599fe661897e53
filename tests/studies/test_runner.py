"""The runner: cells are measured once, quick cells need only bundled data, and studies have tables."""

import json
from pathlib import Path

import pytest

from studies import render
from studies.__main__ import STUDIES
from studies.runner import Study, grid, measure_cells, run, tables


def test_a_grid_has_a_cell_for_each_combination() -> None:
    cells = list(grid(lambda a, b: {"sum": a + b}, a=(1, 2), b=(10,)))
    assert [cell.key for cell in cells] == [{"a": 1, "b": 10}, {"a": 2, "b": 10}]
    assert [cell.measure() for cell in cells] == [{"sum": 11}, {"sum": 12}]


def test_finished_cells_are_kept(tmp_path: Path) -> None:
    out, calls = tmp_path / "results.json", []

    def measure(seed: int) -> dict[str, int]:
        calls.append(seed)
        return {"value": seed}

    parts = {
        "one": lambda quick: grid(measure, seed=range(1 if quick else 3)),
        "two": lambda _: grid(measure, seed=[9]),
    }
    measure_cells(parts, False, out, ["one"])
    measure_cells(parts, False, out)
    assert calls == [0, 1, 2, 9]
    stored = json.loads(out.read_text())["cells"]
    assert [cell["key"]["part"] for cell in stored] == ["one", "one", "one", "two"]
    assert all({"value", "seconds", "processor_seconds"} < set(cell) for cell in stored)
    with pytest.raises(ValueError, match="quick"):
        measure_cells(parts, True, out)


def test_unknown_parts_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run(Study("truth", (1, 1), {"fits": lambda _: ()}), ["--parts", "magic"])
    assert "fits" in capsys.readouterr().err


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_every_study_has_stored_results_and_tables(study: Study) -> None:
    path = render.ROOT / "results" / f"{study.name}.json"
    assert tables(study, path).count("| --- |") >= 2
    assert study.minutes[0] <= 4
    assert (render.ROOT / "docs" / "evidence" / f"{study.name}.md").is_file()


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_cells_have_keys_of_their_own_and_quick_ones_need_bundled_data(study: Study) -> None:
    for quick in (True, False):
        keys = [{"part": part, **cell.key} for part, cells in study.parts.items() for cell in cells(quick)]
        assert len({json.dumps(key) for key in keys}) == len(keys)
        used = {str(key.get(name)) for key in keys for name in ("data", "images", "kind")}
        assert not quick or not any(word in name for name in used for word in ("mnist", "cifar10"))
