"""Damaged and foreign files of a run: one sentence that names the file, whoever asks, and never a traceback."""

import json
import shutil
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
def copied(finished: Run, tmp_path: Path) -> Run:
    shutil.copytree(finished.path, tmp_path / "run")
    return Run(tmp_path / "run")


@pytest.fixture
def stopped(copied: Run) -> Run:
    """As a run is that was interrupted after its first epoch."""
    (copied.path / "model.safetensors").unlink()
    return copied


def change_settings(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        stored = json.loads(path.read_text())
        change(stored)
        path.write_text(json.dumps(stored))

    return damage


SETTINGS: list[tuple[Callable[[dict[str, Any]], Any], str]] = [
    (lambda s: s["config"].update(colour="red"), "config.*'colour'"),
    (lambda s: s["config"]["network"].update(depth=3), "network.*'depth'"),
    (lambda s: s["config"].pop("epochs"), "config.*'epochs'"),
    (lambda s: s["config"].pop("network"), "config.*'network'"),
    (lambda s: s["config"].pop("data_dir"), "config.*'data_dir'"),
    (lambda s: s["config"]["network"].pop("group"), "network.*'group'"),
    (lambda s: s["config"].update(epochs="two"), "epochs must be a whole number, got 'two'"),
    (lambda s: s["config"].update(epochs=2.5), "epochs must be a whole number, got 2.5"),
    (lambda s: s["config"].update(epochs=True), "epochs must be a whole number, got True"),
    (lambda s: s["config"].update(freeze_filters=1), "freeze_filters must be true or false, got 1"),
    (lambda s: s["config"].update(data=None), "data must be text, got None"),
    (lambda s: s["config"].update(clip=[2]), r"clip must be a number or null, got \[2\]"),
    (lambda s: s["config"].update(clip=10**400), "clip must be a number or null, got 1000"),
    (lambda s: s["config"].update(network=[]), r"network must be an object, got \[\]"),
    (lambda s: s["config"]["network"].update(step="slow"), "step must be a number or one of safe, got 'slow'"),
    (
        lambda s: s["config"]["network"].update(share="all"),
        "share must be one of channel, set, layer, network, got 'all'",
    ),
    (lambda s: s["config"].update(batch_size=0), "batch_size must be at least 1, got 0"),
    (
        lambda s: s["config"]["network"].update(kernel_size=40),
        "kernel_size must be at most 30 for these images, got 40",
    ),
    (lambda s: s.update(config=7), "config must be an object, got 7"),
    (lambda s: s.pop("config"), "must have 'config', and does not"),
    (lambda s: s.pop("facts"), "must have 'facts', and does not"),
    (lambda s: s.update(facts=[]), r"facts must be an object, got \[\]"),
    (lambda s: s["facts"].pop("task"), "facts.*'task'"),
    (
        lambda s: s["facts"].update(image_shape="1x28x28"),
        "image_shape must be a list, got '1x28x28'",
    ),
    (lambda s: s["facts"].update(class_names=10), "class_names must be a list, got 10"),
    (lambda s: s["facts"].update(task="win"), "task must be one of classify, reconstruct, got 'win'"),
    (lambda s: s.update(schema=2), "was written by a newer version of lgn: it has schema 2, and this version reads 1"),
]


@pytest.mark.parametrize(("change", "message"), SETTINGS)
def test_a_config_that_is_not_one(copied: Run, change: Callable[[dict[str, Any]], Any], message: str) -> None:
    change_settings(change)(copied.path / "config.json")
    with pytest.raises(ValueError, match=message) as refusal:
        lgn.load(copied.path)
    assert str(refusal.value).startswith(str(copied.path / "config.json"))
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe garbage", b"[]", b"null", b'{"schema": 1'])
def test_a_config_that_is_not_even_an_object(copied: Run, content: bytes) -> None:
    (copied.path / "config.json").write_bytes(content)
    with pytest.raises(ValueError, match=r"config.json (is not a JSON file|must have schema 1)"):
        lgn.load(copied.path)


CHECKPOINTS: list[tuple[Callable[[dict[str, Any]], Any], str]] = [
    (lambda s: [1, 2], "is not a checkpoint of a run: it has no 'model'"),
    (lambda s: {k: v for k, v in s.items() if k != "model"}, "is not a checkpoint of a run: it has no 'model'"),
    (lambda s: {k: v for k, v in s.items() if k != "place"}, "is not a checkpoint of a run: it has no 'place'"),
    (lambda s: s | {"model": {}}, "is not a checkpoint of this run: .*Missing key"),
    (lambda s: s | {"model": [1]}, "is not a checkpoint of this run: "),
    (lambda s: s | {"optimizer": {}}, "is not a checkpoint of this run: "),
    (lambda s: s | {"random": torch.zeros(3)}, "is not a checkpoint of this run: "),
    (lambda s: s | {"place": "the end"}, "is not a checkpoint of this run: "),
    (lambda s: s | {"sums": None}, "is not a checkpoint of this run: "),
    (lambda s: s | {"history": 3}, "is not a checkpoint of this run: "),
]


@pytest.mark.parametrize(("change", "message"), CHECKPOINTS)
def test_a_checkpoint_that_is_not_one(
    stopped: Run, change: Callable[[dict[str, Any]], Any], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = stopped.path / "checkpoint.pt"
    torch.save(change(stopped.checkpoint()), path)
    with pytest.raises(ValueError, match=message) as refusal:
        train(stopped.config, stopped.path)
    assert str(refusal.value).startswith(str(path))
    capsys.readouterr()
    assert main(["train", "--resume", str(stopped.path)]) == 1
    said = [line for line in capsys.readouterr().err.splitlines() if "warning" not in line]
    assert said == [f"lgn: error: {refusal.value}"]


@pytest.mark.parametrize("content", [b"", b"garbage", b"PK\x03\x04 no archive", b"\x80\x02]."])
def test_a_checkpoint_of_other_bytes(stopped: Run, content: bytes) -> None:
    (stopped.path / "checkpoint.pt").write_bytes(content)
    with pytest.raises(ValueError, match=r"checkpoint.pt is not a checkpoint"):
        stopped.model()


def save_nothing(path: Path) -> None:
    save_file({}, path)


def save_another_shape(path: Path) -> None:
    save_file({"encoder.bank.generator.matrix": torch.zeros(2, 2)}, path)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda path: path.write_bytes(b"garbage"), "header"),
        (lambda path: path.write_bytes(b""), "header"),
        (save_nothing, "encoder.bank.generator.matrix must be of shape .4, 1, 25, 25., got none"),
        (save_another_shape, "encoder.bank.generator.matrix must be of shape .4, 1, 25, 25., got .2, 2."),
    ],
)
def test_an_initial_file_that_is_not_one(
    copied: Run, damage: Callable[[Path], Any], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = copied.path / "initial.safetensors"
    damage(path)
    with pytest.raises(ValueError, match=message) as refusal:
        lgn.analyze(copied.path)
    assert str(refusal.value).startswith(f"{path} is not a safetensors file with the initial generators of this run: ")
    assert main(["analyze", str(copied.path)]) == 1
    assert capsys.readouterr().err == f"lgn: error: {refusal.value}\n"


def test_weights_of_another_network(copied: Run) -> None:
    save_nothing(copied.path / "model.safetensors")
    with pytest.raises(
        ValueError, match=r"model.safetensors is not a safetensors file with the weights .* Missing key"
    ):
        copied.model()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it is empty, and must have a line for every epoch"),
        (b"garbage\n", "Expecting value"),
        (b"\xff garbage\n", "codec can't decode"),
        (b"[1]\n", "line 1 must be an object with an epoch"),
        (b'{"epoch": 1}\n', "KeyError('test_error')"),
        (b"{}\n", "line 1 must be an object with an epoch"),
    ],
)
def test_metrics_that_are_none(copied: Run, content: bytes, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = copied.path / "metrics.jsonl"
    path.write_bytes(content)
    assert main(["train", "--resume", str(copied.path)]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"lgn: error: {path} is not the metrics of a run: ")
    assert message in said
    assert said.count("\n") == 1
    assert ("damaged metrics" in repr(copied)) == (b"epoch" not in content)
    path.unlink()
    assert main(["train", "--resume", str(copied.path)]) == 1
    assert "has no metrics.jsonl: a finished run must have a line for every epoch" in capsys.readouterr().err
