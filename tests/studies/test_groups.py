"""The benchmark of groups: cells that measure what they say, and a page from what was measured."""

from pathlib import Path

import pytest
import torch

from lgn.files import write_json
from studies import groups
from studies.cells import cells_of, run_cells
from studies.groups import cost, depth, planted, views


def test_planted_matrices_are_representations_of_their_groups() -> None:
    for task in planted.TASKS:
        group, matrices, patch = planted.planted(task)
        rho = group.representation(matrices)
        torch.testing.assert_close(rho[group.table], rho[:, None] @ rho[None])
        assert len(torch.unique(rho.flatten(1), dim=0)) == group.order  # and faithful
        assert rho.shape[-1] == patch[0] * patch[1]
    group, matrices, _ = planted.planted("D4")
    assert len(planted.relabelled(group, matrices)) == 8  # the automorphisms of D4


def test_cells_measure_and_the_page_is_made_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert {part: len(list(cells_of(groups.MODULES, part, quick=False))) for part in groups.MODULES} == {
        "planted": 140, "views": 150, "depth": 16, "cost": 4,
    }  # fmt: skip
    out = tmp_path / "groups.json"
    result = run_cells(groups.MODULES, True, out, ["depth"])
    cells = {cell["key"]["kind"]: cell for cell in result["cells"]}
    assert cells["known, float64"]["any_layer"] <= 1e-10
    assert cells["known, float32"]["error"] <= 1e-4
    assert cells["reflection perturbed"]["error"] > 0.05
    assert cells["learned from a random start"]["relation_error"] <= 1e-5
    assert cells["learned from a random start"]["change"] > 0.01
    alone = planted.measure("S3 on channels", 0.05, "least-squares", 0)
    joint = planted.measure("S3 on channels", 0.05, "relations", 0)
    assert joint["error"] < alone["error"] <= 0.1
    assert planted.measure("S3 on channels", None, "relations", 0)["error"] is None
    for method, measured in (("least-squares", alone), ("relations", joint)):
        key = {"part": "planted", "task": "S3 on channels", "noise": 0.05, "method": method, "seed": 0}
        result["cells"].append({"key": key, **measured, "processor_seconds": 1.0})
    monkeypatch.setattr(views, "IMAGES", 80)  # as many as it needs
    monkeypatch.setattr(views, "VIEWS", 10)
    monkeypatch.setattr(views, "PATCH", (4, 4))
    named = views.measure("digits", None, "C4", 0.01, 0)
    assert named["right"]
    assert named["name"] == "C4"
    key = {"part": "views", "task": "C4", "noise": 0.01, "data": "digits", "seed": 0}
    result["cells"].append({"key": key, **named, "processor_seconds": 1.0})
    timed = cost.measure("D4", "dense", 1)
    assert timed["ratio"] > 0
    key = {"part": "cost", "group": "D4", "family": "dense"}
    result["cells"].append({"key": key, **timed, "processor_seconds": 1.0})
    write_json(out, result)
    groups.write_page(out, tmp_path / "groups.md")
    text = (tmp_path / "groups.md").read_text()
    assert "smaller with the relations than without in 1 of 1" in text
    assert "| C4 | digits | 1, 1 of 1 |" in text
    assert "| known, float64 |" in text


def test_views_are_under_the_elements_that_they_say() -> None:
    images = (255 * torch.rand(400, 1, 9, 9)).to(torch.uint8)
    seen = views.some_views(images, "D4", 0.0, 0)
    first = seen[0].flatten(1)
    assert len(torch.unique(first, dim=0)) <= 8
    assert seen.shape == (views.IMAGES, views.VIEWS, 1, 9, 9)
    assert len(depth.KINDS) == 3
