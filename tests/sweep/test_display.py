"""The display of a sweep says what the directories say."""

import json
from pathlib import Path

import pytest

from lgn.sweep import plan
from lgn.sweep.display import Display, progress_of
from lgn.training import Config


def test_places_and_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = plan([Config(seed=seed, epochs=3) for seed in range(2)], tmp_path)
    assert progress_of(first) == "digits-auto-paper-0: epoch 0 of 3"
    display = Display([first, second], shown=True)
    first.path.mkdir()
    row = json.dumps({"epoch": 1, "test_accuracy": 0.5, "train_loss": 1.0}) + "\n"
    (first.path / "metrics.jsonl").write_text(row)
    assert progress_of(first) == "digits-auto-paper-0: epoch 1 of 3, test accuracy 0.5"
    display.update(failed=0)
    assert capsys.readouterr().err == ""  # nothing has finished, and a minute has not passed
    (first.path / "metrics.jsonl").write_text(3 * row)
    (first.path / "model.safetensors").touch()
    display.update(failed=1)
    display.close()
    assert capsys.readouterr().err.splitlines() == [
        "digits-auto-paper-0: epoch 3 of 3, test accuracy 0.5",
        "1 of 2 runs finished, 1 failed, 3 of 6 epochs",
    ]
