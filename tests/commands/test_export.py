"""`lgn export`."""

from pathlib import Path

import pytest

from lgn.cli import main


def test_the_difference_is_printed_and_the_file_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "deep" / "network.safetensors"
    assert main(["export", "mnist-classification", "--format", "safetensors", "--out", str(out)]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert "at most 0 " in first
    assert second == f"safetensors: {out}"
    assert out.is_file()
    assert main(["export", str(tmp_path), "--format", "pt2"]) == 1
    assert capsys.readouterr().err.startswith("lgn: error: run ")
