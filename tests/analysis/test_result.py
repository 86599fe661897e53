import json
import math
from pathlib import Path

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
        matrices, patch, order=4, labels=[(0, 0, None), (0, 1, None)], start=torch.eye(9).expand(2, 9, 9),
        filters=torch.randn(2, 9, 1, generator=torch.Generator().manual_seed(0)), draws=50,
    )  # fmt: skip


def test_json_both_ways(analysis: Analysis, tmp_path: Path) -> None:
    text = analysis.to_json(tmp_path / "analysis.json")
    assert Analysis.from_json(text) == analysis
    assert Analysis.from_json(tmp_path / "analysis.json") == analysis
    assert [path.name for path in tmp_path.iterdir()] == ["analysis.json"]
    assert json.loads(text)["schema"] == 2


def test_float32_is_written_short_and_read_back_bit_by_bit() -> None:
    matrix = torch.randn(50, 50, generator=torch.Generator().manual_seed(0)) * torch.logspace(-2, 2, 50)
    assert torch.equal(tensor(rows(matrix)).float(), matrix)
    assert all(len(repr(value)) <= 15 for row in rows(matrix) for value in row)
    double = torch.randn(5, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    assert torch.equal(tensor(rows(double)), double)


def test_an_infinite_condition_number_survives(analysis: Analysis) -> None:
    singular = analysis.generators[0]
    assert singular.spectrum.rank < 9
    assert math.isinf(singular.spectrum.condition_number)
    again = Analysis.from_json(analysis.to_json()).generators[0].spectrum.condition_number
    assert math.isinf(again)
    assert "Infinity" not in analysis.to_json().replace('"Infinity"', "")  # strict JSON


def test_frozen(analysis: Analysis) -> None:
    with pytest.raises(AttributeError):
        analysis.seed = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda value: value.update(schema=99), "schema must be 2, got 99"),
        (lambda value: value["generators"][0].pop("patch"), r"generators\[0\] must have 'patch', and does not"),
        (lambda value: value.update(surprise=1), "Analysis has 'surprise', which this version of lgn does not know"),
        (lambda value: value.update(draws="many"), "Analysis.draws must be a whole number, got 'many'"),
        (lambda value: value["generators"][0].update(name=3), r"Analysis.generators\[0\].name must be text, got 3"),
        (lambda value: value["generators"][0].update(patch=["wide"]), r"patch\[0\] must be a whole number, got 'wide'"),
    ],
)
def test_what_is_wrong_in_a_file_is_named(analysis: Analysis, change, message: str) -> None:
    value = json.loads(analysis.to_json())
    change(value)
    with pytest.raises(ValueError, match=message):
        Analysis.from_json(json.dumps(value))


def test_text_that_is_not_json() -> None:
    with pytest.raises(ValueError, match="source must be the JSON of an analysis"):
        Analysis.from_json("[1, 2")
    with pytest.raises(ValueError, match="schema must be 2, got None"):
        Analysis.from_json("[1, 2]")


def test_rows_and_tensor() -> None:
    a = torch.randn(3, 2, dtype=torch.float64)
    assert torch.equal(tensor(rows(a)), a)
    assert tensor(rows(torch.zeros(3, 0)), columns=0).shape == (3, 0)
