import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from lgn.analysis import Analysis, analyze_matrices
from lgn.analysis.generator import rows, tensor
from lgn.transforms import operator


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    patch = (3, 3)
    matrices = torch.stack([operator("shift", patch, columns=1, fill="zeros"), operator("rotation", patch, degrees=90)])
    return analyze_matrices(
        matrices, patch=patch, order=4, start=torch.eye(9).expand(2, 9, 9),
        filters=torch.randn(2, 9, 1, generator=torch.Generator().manual_seed(0)), draws=50,
    )  # fmt: skip


def test_json_both_ways(analysis: Analysis, tmp_path: Path) -> None:
    analysis.save(tmp_path / "analysis.json")
    assert Analysis.load(tmp_path / "analysis.json") == analysis
    assert [path.name for path in tmp_path.iterdir()] == ["analysis.json"]


def test_float32_is_written_short_and_read_back_bit_by_bit() -> None:
    matrix = torch.randn(50, 50, generator=torch.Generator().manual_seed(0)) * torch.logspace(-2, 2, 50)
    assert torch.equal(tensor(rows(matrix)).float(), matrix)
    assert all(len(repr(value)) <= 15 for row in rows(matrix) for value in row)
    double = torch.randn(5, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    assert torch.equal(tensor(rows(double)), double)


def test_an_infinite_condition_number_is_stored_as_strict_json(analysis: Analysis, tmp_path: Path) -> None:
    singular = analysis.generators[0]
    assert singular.spectrum.rank < 9
    assert math.isinf(singular.spectrum.condition_number)
    analysis.save(tmp_path / "analysis.json")
    assert math.isinf(Analysis.load(tmp_path / "analysis.json").generators[0].spectrum.condition_number)
    assert "Infinity" not in (tmp_path / "analysis.json").read_text().replace('"Infinity"', "")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda value: value.update(schema=99), "schema .*99"),
        (lambda value: value["generators"][0].pop("patch"), r"generators\[0\] .*'patch'"),
        (lambda value: value.update(surprise=1), "surprise"),
        (lambda value: value.update(draws="many"), "draws .*'many'"),
        (lambda value: value["generators"][0].update(name=3), r"generators\[0\].name .*3"),
        (lambda value: value["generators"][0].update(patch=["wide"]), r"patch\[0\] .*'wide'"),
    ],
)
def test_refusals_of_a_file_name_the_entry(
    analysis: Analysis, tmp_path: Path, change: Callable[[Any], object], message: str
) -> None:
    path = tmp_path / "analysis.json"
    analysis.save(path)
    value = json.loads(path.read_text())
    change(value)
    path.write_text(json.dumps(value))
    with pytest.raises(ValueError, match=message):
        Analysis.load(path)


@pytest.mark.parametrize(("text", "message"), [("[1, 2", "analysis.json"), ("[1, 2]", "schema .*None")])
def test_files_without_an_analysis_are_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "analysis.json").write_text(text)
    with pytest.raises(ValueError, match=message):
        Analysis.load(tmp_path / "analysis.json")
