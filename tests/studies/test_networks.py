"""The study of networks: its cases, its measurements, and its differences."""

from dataclasses import replace
from pathlib import Path

import pytest
from found import found

from studies.networks import cases
from studies.networks.cases import PARTS, Case, cells, measure
from studies.networks.tables import paired

SMALL = Case("digits", "given", 200, 0, epochs=1)


def test_every_training_has_a_key_of_its_own() -> None:
    keys = [cell.key for part in PARTS for cell in cells(part, quick=False)]
    assert len(keys) == 112
    full = [key for key in keys if key["data"] == "rotated-mnist" and key["images"] == 12_000 and not key["augmented"]]
    counts = {method: sum(key["method"] == method and not key["small"] for key in full) for method in cases.ALL}
    assert counts == {"free": 3, "given": 5, "found": 5}


def test_a_found_group_has_the_run_of_the_given_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cases, "RUNS", tmp_path)
    asked = replace(SMALL, method="found")
    asked.directory.mkdir(parents=True)
    found("turn 90", "turn 180", "turn 270").save(asked.directory / "answer.json")
    rows = {method: measure(replace(SMALL, method=method)) for method in ("given", "found", "free")}
    assert rows["found"]["accuracy"] == rows["given"]["accuracy"]
    assert (rows["found"]["same_as"], rows["found"]["found"]) == ("given", "C4")
    assert rows["given"]["equivariance_error"] < 1e-5 < rows["free"]["equivariance_error"]
    assert 0.98 * 25_000 < rows["free"]["parameters"] <= 25_000


def test_differences_are_over_paired_seeds() -> None:
    accuracies = {"given": (0.98, 0.97), "found": (0.979, 0.97, 0.5)}
    rows = [
        {"method": method, "seed": seed, "accuracy": accuracy}
        for method, values in accuracies.items()
        for seed, accuracy in enumerate(values)
    ]
    assert paired(rows, "given", "found") == pytest.approx([0.1, 0.0])
