"""The study of networks: its cases, its rows, and its differences."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from found import found

from studies.networks.cases import PARTS, Case, cases
from studies.networks.rows import measure
from studies.networks.tables import paired

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


def test_a_found_group_has_the_run_of_the_given_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    methods = ("given", "found", "free")
    monkeypatch.setitem(PARTS, "small", lambda: iter([replace(SMALL, method=method) for method in methods]))
    out = tmp_path / "networks.json"
    (tmp_path / "networks" / "digits-200-found-0").mkdir(parents=True)
    found("turn 90", "turn 180", "turn 270").save(tmp_path / "networks" / "digits-200-found-0" / "symmetries.json")
    measure(False, out, ("small",))
    rows = {row["method"]: row for row in json.loads(out.read_text())["rows"]}
    assert rows["found"]["accuracy"] == rows["given"]["accuracy"]
    assert (rows["found"]["same_as"], rows["found"]["found"]) == ("given", "C4")
    assert rows["given"]["equivariance_error"] < 1e-5 < rows["free"]["equivariance_error"]
    assert 0.98 * 25_000 < rows["free"]["parameters"] <= 25_000
    times = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.safetensors")}
    measure(False, out, ("small",))
    assert times == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.safetensors")}


def test_stored_rows_are_kept_without_their_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PARTS, "small", lambda: iter([SMALL]))
    row = {**replace(SMALL, seed=7).key, "accuracy": 0.5}
    other = {name: value for name, value in {**SMALL.key, "accuracy": 0.9}.items() if name != "small"}
    out = tmp_path / "networks.json"
    out.write_text(json.dumps({"schema": 1, "quick": False, "rows": [row, other]}))
    measure(False, out, ("small",))
    assert json.loads(out.read_text())["rows"] == [other, row]
    assert not (tmp_path / "networks").exists()


def test_differences_are_over_paired_seeds() -> None:
    accuracies = {"given": (0.98, 0.97), "found": (0.979, 0.97, 0.5)}
    rows = [
        {"method": method, "seed": seed, "accuracy": accuracy}
        for method, some in accuracies.items()
        for seed, accuracy in enumerate(some)
    ]
    assert paired(rows, "given", "found") == pytest.approx([0.1, 0.0])
