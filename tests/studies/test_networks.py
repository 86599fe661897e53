"""The benchmark of networks: rows that are trained, shared where trainings are the same, and a page from them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from found import found

from studies import networks
from studies.networks.cases import PARTS, Case, cases
from studies.networks.rows import measure_rows

FIELDS = {"data", "method", "images", "seed", "accuracy", "parameters", "augmented", "equivariance_error"}
SMALL = Case("digits", "given", 200, 0, epochs=1)


def test_every_cell_that_is_asked_for_is_listed() -> None:
    listed = cases((), quick=False)
    assert len({case.name for case in listed}) == len(listed)
    full = [case for case in listed if case.data == "rotated-mnist" and case.images == 12_000 and not case.augmented]
    full = [case for case in full if not case.small]
    counts = {method: sum(case.method == method for case in full) for method in ("free", "given", "found")}
    assert counts == {"free": 3, "given": 5, "found": 5}
    assert {(case.data, case.images) for case in listed if case.method == "found"} == {
        ("rotated-mnist", 12_000), ("rotated-mnist", 1000), ("rotated-mnist", 300),
        ("rotated-mnist-90", 12_000), ("flipped-cifar10", 5000), ("mnist", 12_000),
    }  # fmt: skip
    with pytest.raises(ValueError, match="parts must be of full, found"):
        cases(("all",), quick=False)


def test_rows_are_measured_once_and_found_is_the_run_that_it_leads_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    methods = ("given", "found", "free")
    monkeypatch.setitem(PARTS, "small", lambda: iter([replace(SMALL, method=method) for method in methods]))
    out = tmp_path / "networks.json"
    (tmp_path / "networks" / "digits-200-found-0").mkdir(parents=True)
    found("turn 90", "turn 180", "turn 270").save(tmp_path / "networks" / "digits-200-found-0" / "symmetries.json")
    result = measure_rows(False, out, ("small",))
    rows = {row["method"]: row for row in result["rows"]}
    assert all(set(row) >= FIELDS for row in rows.values())
    assert json.loads(out.read_text())["rows"] == result["rows"]
    assert rows["found"]["accuracy"] == rows["given"]["accuracy"]
    assert (rows["found"]["same_as"], rows["found"]["found"]) == ("given", "C4")
    assert rows["given"]["equivariance_error"] < 1e-5 < rows["free"]["equivariance_error"]
    assert 0.98 * 25_000 < rows["free"]["parameters"] <= 25_000
    # Nothing is trained a second time.
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.safetensors")}
    assert measure_rows(False, out, ("small",)) == result
    assert before == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.safetensors")}


def test_the_page_says_the_gap_the_price_and_what_was_not_run(tmp_path: Path) -> None:
    rows = []
    for method, accuracies in (("given", (0.98, 0.97)), ("found", (0.979, 0.97)), ("free", (0.95, 0.94))):
        for seed, accuracy in enumerate(accuracies):
            row = {"data": "rotated-mnist", "method": method, "images": 12_000, "seed": seed, "augmented": False}
            measured = {"accuracy": accuracy, "parameters": 24_572, "equivariance_error": 0.1, "step_seconds": 0.1}
            rows.append(row | measured | {"group": "C8", "found": "C8", "continuous": True})
    page = networks.page({"quick": False, "rows": rows})
    assert "| Rotated MNIST, 12,000 | given | C8 | 2.50 ± 0.71 | 2 |" in page
    assert "3.00 ± 0.00 points at 12,000 images" in page
    assert "over 2 paired seeds: 0.05 ± 0.07 points" in page
    assert "- Rotated MNIST, 12,000: found (3), free (1), given (3), paper (3)\n" in page
    networks.write_curve(rows, tmp_path / "curve.png")
    assert (tmp_path / "curve.png").stat().st_size > 5000


def test_rows_that_the_file_has_are_kept_without_their_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PARTS, "small", lambda: iter([SMALL]))
    row = {**replace(SMALL, seed=7).key, "accuracy": 0.5}
    old = {name: value for name, value in {**SMALL.key, "accuracy": 0.9}.items() if name != "small"}
    out = tmp_path / "networks.json"
    out.write_text(json.dumps({"schema": 1, "quick": False, "rows": [row, old]}))
    assert measure_rows(False, out, ("small",))["rows"] == [old, row]  # and nothing is trained
    assert not list((tmp_path / "networks").iterdir())


def test_the_page_shows_gates_and_generators_that_went_on_learning() -> None:
    rows = []
    for seed in range(2):
        row = {"data": "rotated-mnist-45", "method": "gated", "images": 4000, "seed": seed, "augmented": False}
        measured = {"accuracy": 0.95, "parameters": 11_900, "equivariance_error": 0.1, "small": True, "epochs": 8}
        gates = [1.0, 0.9, 0.1, 0.05, 0.01, 0.05, 0.1, 0.9]
        rows.append(row | measured | {"gates": gates})
        for method, accuracy in (("given", 0.96), ("trained", 0.965 + 0.01 * seed)):
            other = {"data": "rotated-mnist", "method": method, "images": 1000, "accuracy": accuracy}
            rows.append(row | measured | other | ({"moved": 0.02} if method == "trained" else {}))
    page = networks.page({"quick": False, "rows": rows})
    assert (
        "| turned within 45 degrees | 0, 1 | 0.90 (0.90 to 0.90), open in 2 | 0.10 (0.10 to 0.10), open in 0 " in page
    )
    assert "trained less frozen over 2 paired seeds: +1.00 ± 0.71 points, no difference is shown." in page
