"""`kill -9` at any moment: the continued run ends with the weights of an uninterrupted run, bit for bit."""

from pathlib import Path
from types import ModuleType

import pytest
from forked import start
from tool import load_tool
from training.small import SMALL_WORDS


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """tools/kill_test.py, which kills a longer training ten times."""
    return load_tool("kill_test")


@pytest.mark.slow
def test_kills_change_nothing(tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool, "start", lambda out, options: start("lgn.cli", ["train", *options, "--out", str(out)]))
    # 300 steps with a checkpoint after each: kills meet it within the first dozens, and it has far to go.
    options = ["digits", *SMALL_WORDS, "--epochs", "12", "--set=batch_size=8", "--set=validation=0.1"]
    options += ["--set=checkpoint_seconds=0"]
    tool.finish(tmp_path / "peaceful", options)
    met = tool.kill_and_continue(tmp_path / "killed", options, kills=3, seed=1, longest=0.4)
    assert met == 3
    assert tool.differences(tmp_path / "peaceful", tmp_path / "killed") == []
    assert not list((tmp_path / "killed").glob(".*.part"))


def test_the_comparison_finds_differences(tool: ModuleType, tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.safetensors").write_bytes(b"weights")
        (tmp_path / name / "metrics.jsonl").write_text('{"epoch": 1, "train_loss": 0.5, "seconds": 1}\n')
    one, other = tmp_path / "one", tmp_path / "other"
    (other / "metrics.jsonl").write_text('{"epoch": 1, "train_loss": 0.5, "seconds": 2}\n')
    assert tool.differences(one, other) == []
    (other / "model.safetensors").write_bytes(b"Weights")
    (other / "metrics.jsonl").write_text('{"epoch": 1, "train_loss": 0.6, "seconds": 2}\n')
    assert tool.differences(one, other) == ["model.safetensors", "metrics.jsonl"]
