"""Damaged and foreign files of a run: one error that names the file, from Python and from the command line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

import lgn
from lgn.cli import main
from lgn.training import Run, train


@pytest.fixture
def stopped(copied: Run) -> Run:
    """A run that was interrupted after its first epoch."""
    (copied.path / "model.safetensors").unlink()
    return copied


#: The part of config.json to change, the setting, and its wrong value; a missing value removes the setting.
MISSING = object()
SETTINGS: list[tuple[str, str, Any]] = [
    ("config", "colour", "red"),
    ("network", "depth", 3),
    *((part, name, MISSING) for part, name in (("config", "epochs"), ("network", "group"), ("facts", "task"))),
    *(("", name, MISSING) for name in ("config", "facts")),
    *(("config", "epochs", value) for value in ("two", 2.5, True)),
    ("config", "freeze_filters", 1),
    ("config", "data", None),
    *(("config", "clip", value) for value in ([2], 10**400)),
    ("config", "network", []),
    ("config", "batch_size", 0),
    ("network", "step", "slow"),
    ("network", "share", "all"),
    ("network", "kernel_size", 40),
    ("", "config", 7),
    ("", "facts", []),
    ("", "schema", 2),
    ("facts", "image_shape", "1x28x28"),
    ("facts", "class_names", 10),
    ("facts", "task", "win"),
]


@pytest.mark.parametrize(("part", "name", "value"), SETTINGS)
def test_a_wrong_setting_is_named(copied: Run, part: str, name: str, value: Any) -> None:
    path = copied.path / "config.json"
    stored = json.loads(path.read_text())
    changed = {"": stored, "network": stored["config"]["network"]}.get(part) or stored[part]
    if value is MISSING:
        del changed[name]
    else:
        changed[name] = value
    path.write_text(json.dumps(stored))
    with pytest.raises(ValueError, match=f"{path}.*{name}") as refusal:
        lgn.load(copied.path)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe garbage", b"[]", b"null", b'{"schema": 1'])
def test_a_config_that_is_no_object_is_refused(copied: Run, content: bytes) -> None:
    (copied.path / "config.json").write_bytes(content)
    with pytest.raises(ValueError, match=r"config.json"):
        lgn.load(copied.path)


CHECKPOINTS: list[Callable[[dict[str, Any]], Any]] = [
    lambda s: [1, 2],
    lambda s: {k: v for k, v in s.items() if k != "model"},
    lambda s: {k: v for k, v in s.items() if k != "place"},
    lambda s: s | {"model": {}},
    lambda s: s | {"model": [1]},
    lambda s: s | {"optimizer": {}},
    lambda s: s | {"random": torch.zeros(3)},
    lambda s: s | {"place": "the end"},
    lambda s: s | {"sums": None},
    lambda s: s | {"history": 3},
]


@pytest.mark.parametrize("change", CHECKPOINTS)
def test_a_wrong_checkpoint_is_named(
    stopped: Run, change: Callable[[dict[str, Any]], Any], capsys: pytest.CaptureFixture[str]
) -> None:
    path = stopped.path / "checkpoint.pt"
    torch.save(change(stopped.checkpoint()), path)
    with pytest.raises(ValueError, match=str(path)) as refusal:
        train(stopped.config, stopped.path)
    capsys.readouterr()
    assert main(["train", "--resume", str(stopped.path)]) == 1
    errors = [line for line in capsys.readouterr().err.splitlines() if "warning" not in line]
    assert errors == [f"lgn: error: {refusal.value}"]


@pytest.mark.parametrize("content", [b"", b"garbage", b"PK\x03\x04 no archive", b"\x80\x02]."])
def test_a_checkpoint_of_other_bytes_is_refused(stopped: Run, content: bytes) -> None:
    (stopped.path / "checkpoint.pt").write_bytes(content)
    with pytest.raises(ValueError, match=r"checkpoint.pt"):
        stopped.model()


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(b"garbage"),
        lambda path: path.write_bytes(b""),
        lambda path: save_file({}, path),
        lambda path: save_file({"encoder.bank.generator.matrix": torch.zeros(2, 2)}, path),
    ],
)
def test_a_wrong_initial_file_is_named(
    copied: Run, damage: Callable[[Path], Any], capsys: pytest.CaptureFixture[str]
) -> None:
    path = copied.path / "initial.safetensors"
    damage(path)
    with pytest.raises(ValueError, match=str(path)) as refusal:
        lgn.analyze(copied.path)
    assert main(["analyze", str(copied.path)]) == 1
    assert capsys.readouterr().err == f"lgn: error: {refusal.value}\n"


def test_weights_of_another_network_are_refused(copied: Run) -> None:
    save_file({}, copied.path / "model.safetensors")
    with pytest.raises(ValueError, match=r"model.safetensors .*Missing key"):
        copied.model()


@pytest.mark.parametrize("content", [b"", b"garbage\n", b"\xff garbage\n", b"[1]\n", b'{"epoch": 1}\n', b"{}\n"])
def test_wrong_metrics_are_named(copied: Run, content: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    path = copied.path / "metrics.jsonl"
    path.write_bytes(content)
    assert main(["train", "--resume", str(copied.path)]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"lgn: error: {path} ")
    assert error.count("\n") == 1
    path.unlink()
    assert main(["train", "--resume", str(copied.path)]) == 1
    assert "metrics.jsonl" in capsys.readouterr().err
