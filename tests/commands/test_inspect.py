"""`lgn inspect` from a file to tables, JSON and a page."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from lgn.cli import main
from studies.inspection.planted import planted


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with orbits of quarter turns in its first layer."""
    path = tmp_path_factory.mktemp("network") / "turned.safetensors"
    bank, _ = planted(torch.Generator().manual_seed(0), "C4", 32, 24, 0.1)
    save_file({"a.weight": bank.float(), "b.weight": torch.randn(4, 32, 1, 1)}, path)
    return path


def test_tables_and_a_page(
    network: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["inspect", str(network)]) == 0
    printed = capsys.readouterr().out
    assert "2 convolutions in turned.safetensors:" in printed
    assert "twins C4" in printed
    assert "left alone: its kernels of 1x1" in printed
    assert "twins: the group C4 (turn 90, turn 180, turn 270)" in printed
    assert "page: turned.safetensors.inspect.html" in printed
    assert "Orbits, a row each" in Path("turned.safetensors.inspect.html").read_text()


def test_json_is_one_object(network: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(network), "--layer", "a", "--json", "--out", str(tmp_path / "page.html")]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["layers"][0]["group"] == {
        "name": "C4",
        "order": 4,
        "elements": ["identity", "turn 90", "turn 180", "turn 270"],
    }
    assert all(len(orbit) >= 2 for orbit in found["layers"][0]["orbits"])
    assert (tmp_path / "page.html").is_file()


def test_networks_of_the_package_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name, layer = "mnist-classification", "encoder.bank, layer 1"
    assert main(["inspect", name, "--layer", layer, "--json", "--out", str(tmp_path / "a.html")]) == 0
    assert json.loads(capsys.readouterr().out)["layers"][0]["shape"][2:] == [6, 6]


@pytest.mark.parametrize("words", [["nowhere.onnx"], [".", "--layer", "x"]])
def test_what_is_no_network_is_refused_in_a_sentence(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", *words]) == 1
    assert capsys.readouterr().err.startswith("lgn: error: FILE must be a file")
