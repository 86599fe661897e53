"""`lgn export` from arguments to file."""

from pathlib import Path

import pytest

from lgn.cli import main
from lgn.training import preset, train


def test_the_difference_is_printed_and_the_file_is_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = preset("quick", num_layers=1, num_sets=1, group="C2", kernel_size=3, epochs=1, train_images=100)
    run = train(config, tmp_path / "run")
    out = tmp_path / "deep" / "network.safetensors"
    assert main(["export", str(run.path), "--format", "safetensors", "--out", str(out)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("outputs differ by at most 0 on random images")
    assert printed[1] == f"safetensors: {out}"
    assert out.is_file()
    assert main(["export", str(run.path), "--format", "safetensors"]) == 0
    assert (run.path / "merged.safetensors").is_file()


def test_what_is_not_a_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(tmp_path), "--format", "pt2"]) == 1
    assert capsys.readouterr().err.startswith("lgn: error: run must be a directory with a config.json")
