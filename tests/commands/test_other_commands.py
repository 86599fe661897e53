"""`lgn inspect`, `lgn export` and `lgn operators`: their output and their files."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from lgn.cli import main
from studies.inspection.cases import planted


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with orbits of quarter turns in its first layer."""
    path = tmp_path_factory.mktemp("network") / "turned.safetensors"
    bank, _ = planted(torch.Generator().manual_seed(0), "C4", 32, 24, 0.1)
    save_file({"a.weight": bank.float(), "b.weight": torch.randn(4, 32, 1, 1)}, path)
    return path


def test_a_table_and_a_page(
    network: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["inspect", str(network)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert any(line.split()[:3] == ["turn", "90", "kept"] for line in printed)
    assert "C4 (turn 90, turn 180, turn 270)" in printed[-2]
    assert Path(printed[-1].split()[-1]).read_text().count("<figure>") == 4


def test_json_is_one_object(network: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(network), "--layer", "a", "--json", "--out", str(tmp_path / "page.html")]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["settings"]["groups"] == ["C4"]
    assert found["rows"][0]["evidence"][0]["detail"]["pairs"]
    assert (tmp_path / "page.html").is_file()


def test_networks_of_the_package_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "mnist-classification", "--layer", "encoder.bank, layer 1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["data"]["shape"][2:] == [6, 6]


@pytest.mark.parametrize("arguments", [["nowhere.onnx"], [".", "--layer", "x"]])
def test_other_paths_are_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", *arguments]) == 1
    assert "source must" in capsys.readouterr().err


def test_the_difference_is_printed_and_the_file_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "deep" / "network.safetensors"
    assert main(["export", "mnist-classification", "--format", "safetensors", "--out", str(out)]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert "at most 0 " in first
    assert second == f"safetensors: {out}"
    assert out.is_file()
    assert main(["export", str(tmp_path), "--format", "pt2"]) == 1
    assert capsys.readouterr().err.startswith("lgn: error: run ")


def test_operators_without_an_inverse_are_listed_with_infinite_condition(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["operators"]) == 0
    lines = capsys.readouterr().out.splitlines()
    rotation = next(line for line in lines if line.startswith("rotation"))
    assert rotation.split()[2:4] == ["24", "inf"]
    assert "none" in rotation
    assert len(lines) == 12
