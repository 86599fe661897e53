"""tools/fuzz.py: a few of its commands, and the faults that it finds."""

import json
from dataclasses import fields
from pathlib import Path
from types import ModuleType

import pytest
import torch
from safetensors.torch import save_file
from tool import load_tool

from lgn.training.config import Config, NetworkConfig


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return load_tool("fuzz")


@pytest.mark.filterwarnings("default")  # a warning is a line for a user, and no error
def test_random_commands_train_or_are_refused(tool: ModuleType, tmp_path: Path) -> None:
    outcomes = []
    for number in range(12):
        found = tool.run(tool.command(3, number), tmp_path / str(number), 300)
        assert found["faults"] == [], tool.command(3, number)
        outcomes.append(found["outcome"])
    assert {"trained", "refused"} <= set(outcomes)
    assert tool.command(3, 0) == tool.command(3, 0) != tool.command(4, 0)


def test_every_setting_of_a_training_is_tried(tool: ModuleType) -> None:
    settings = {field.name for config in (Config, NetworkConfig) for field in fields(config)}
    assert settings - {"network", "data", "data_dir", "epochs"} == {*tool.FLAGS, *tool.SETTINGS} - {"preset"}


def test_faults_are_found(tool: ModuleType, tmp_path: Path) -> None:
    sentence = "lgn: error: clip must be positive and finite, got 0.0"
    assert list(tool.find_faults(1, [sentence], tmp_path / "none")) == []
    assert list(tool.find_faults(1, ["another line", sentence, sentence], tmp_path / "none"))
    assert list(tool.find_faults(0, [], tmp_path / "none")) == ["status 0 without a model"]
    assert list(tool.find_faults(1, [sentence], tmp_path)) == ["a refusal that leaves a directory"]
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "metrics.jsonl").write_text(json.dumps({"epoch": 1, "train_loss": float("inf")}) + "\n")
    save_file({"weight": torch.tensor([1.0, float("nan")])}, tmp_path / "model.safetensors")
    moments = {"state": {0: {"exp_avg_sq": torch.tensor(float("inf"))}}}
    torch.save({"model": {}, "penalty": {}, "optimizer": moments}, tmp_path / "checkpoint.pt")
    assert len(list(tool.find_faults(0, [], tmp_path))) == 3
