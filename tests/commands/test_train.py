"""`lgn train` as a user meets it: real processes, signals, exit statuses and messages."""

import signal
import time
from pathlib import Path

import pytest
import torch
import tyro
from forked import start
from training.small import SMALL_WORDS, equal, small, weights

from lgn.cli import main
from lgn.commands.options import parse_settings
from lgn.commands.train_command import Options
from lgn.training import Run, preset

LONG = ["digits", *SMALL_WORDS, "--epochs", "6", "--set=batch_size=4", "--set=checkpoint_seconds=0.5"]  # 300 steps


def parse(words: list[str]) -> Options:
    return tyro.cli(Options, args=words)


def lgn_train(*words: str) -> tuple[int | None, str, str]:
    process = start("lgn.cli", ["train", *words])
    out, err = process.communicate()
    return process.returncode, out, err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
@pytest.mark.slow
def test_an_interrupted_training_continues_bit_for_bit(tmp_path: Path, number: signal.Signals) -> None:
    out = tmp_path / "a run"
    process = start("lgn.cli", ["train", *LONG, "--out", str(out)])
    while not (out / "checkpoint.pt").is_file():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    process.send_signal(number)
    printed, messages = process.communicate()
    assert process.returncode == 130
    assert printed == ""
    assert messages.splitlines()[-1].endswith(f"lgn train --resume '{out}'")
    assert "Traceback" not in messages
    stopped = Run(out)
    assert not stopped.finished
    assert stopped.checkpoint()["place"] != [6, 0]
    if number == signal.SIGTERM:
        return
    assert main(["train", f"--resume={out}"]) == 0
    assert stopped.finished
    assert main(["train", *LONG, "--out", str(tmp_path / "uninterrupted")]) == 0
    assert equal(weights(stopped), weights(Run(tmp_path / "uninterrupted")))


def test_the_result_and_the_next_command_are_printed(tmp_path: Path) -> None:
    status, printed, messages = lgn_train("digits", *SMALL_WORDS, "--out", str(tmp_path / "run"))
    assert status == 0, messages
    accuracy = 100 * Run(tmp_path / "run").metrics[-1]["test_accuracy"]
    assert printed.startswith(f"test accuracy {accuracy:.2f} % after 2 epochs")
    assert printed.splitlines()[-2:] == [f"run: {tmp_path / 'run'}", f"next: lgn analyze {tmp_path / 'run'}"]
    assert "epoch 2/2  train_loss" in messages  # a line per epoch in a log, no bar
    assert "\r" not in messages


@pytest.mark.parametrize(
    "settings",
    [
        ["learning_rate=1e30"],
        ["learning_rate=1e38", "batch_size=200"],
        ["clip=none", "learning_rate=1", "normalise=false", "task=reconstruct"],
    ],
    ids=str,
)
def test_a_divergence_is_one_message_and_a_status(settings: list[str], tmp_path: Path) -> None:
    words = [f"--set={setting}" if "task" not in setting else f"--{setting}" for setting in settings]
    words += ["--epochs", "1", "--set=train_images=60", "--set=num_layers=4", "--set=num_sets=5"]
    status, printed, messages = lgn_train("digits", *words, "--out", str(tmp_path / "run"))
    assert (status, printed) == (1, "")
    assert messages.splitlines()[-1].startswith("lgn: error: ")
    assert "learning_rate" in messages.splitlines()[-1]
    assert "Traceback" not in messages
    stopped = Run(tmp_path / "run")
    assert not stopped.finished
    if (stopped.path / "checkpoint.pt").is_file():
        assert all(bool(torch.isfinite(tensor).all()) for tensor in stopped.checkpoint()["model"].values())


def test_other_settings_in_the_same_directory_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["train", "digits", *SMALL_WORDS, "--epochs", "1", "--out", str(tmp_path / "run")]
    assert main(words) == 0
    assert main([*words, "--seed", "1"]) == 1
    assert "seed 0 instead of 1" in capsys.readouterr().err
    assert main(words) == 0  # a finished run is returned


def test_flags_and_settings_make_the_config() -> None:
    words = ["cifar10", "--preset", "paper", "--task", "reconstruct", "--seed", "3", "--generator", "cyclic"]
    words += ["--group", "D4", "--data-dir", "there"]
    for setting in ("step=safe", "padding=same", "validation=0.1", "normalise=false", "clip=none", "penalty=none"):
        words += ["--set", setting]
    assert parse(words).config() == preset(
        "paper",
        "reconstruct",
        data="cifar10",
        seed=3,
        generator="cyclic",
        group="D4",
        data_dir=Path("there"),
        step="safe",
        padding="same",
        validation=0.1,
        normalise=False,
        clip=None,
        penalty="none",
    )
    assert parse(["--preset=released", "--task=reconstruct"]).config() == preset("released", "reconstruct")
    assert parse(SMALL_WORDS).config().network == small().network


def test_settings_have_the_types_of_their_fields() -> None:
    texts = ["epochs=3", "learning_rate=1", "data=7", "operator=rotation 90,reflection columns", "norm=None"]
    operator = ("rotation 90", "reflection columns")
    assert parse_settings(texts) == {
        "epochs": 3, "learning_rate": 1.0, "data": "7", "operator": operator, "norm": None,
    }  # fmt: skip
    for text, name in (
        ("epochs=few", "epochs"),
        ("epochs=2.5", "epochs"),
        ("preprocess=all", "preprocess"),
        ("colour=red", "set"),
        ("epochs", "set"),
    ):
        with pytest.raises(ValueError, match=f"^{name} must be"):
            parse_settings([text])
    with pytest.raises(ValueError, match="epochs"):
        parse_settings(["epochs=1", "epochs=2"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--preset", "swift"], "preset"),
        (["--resume", "nowhere", "--seed", "1"], "resume"),
        (["--resume", "nowhere"], "nowhere"),
        (["--seed", "1", "--set", "seed=2"], "seed"),
        (["--epochs", "0"], "epochs"),
        (["--set", "clip=nan"], "clip"),
        (["--set", "train_images=9"], "train_images"),
        (["--generator", "fixed", "--set", "operator=rotation nan bilinear"], "degrees"),
        (["--generator", "fixed", "--set", "operator=rotation left"], "degrees"),
    ],
    ids=str,
)
def test_wrong_settings_are_one_message_and_leave_nothing(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["train", *words]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("lgn: error: ")
    assert message in line
    assert not list(tmp_path.iterdir())


def test_the_default_directory_names_the_training() -> None:
    for text, name in (
        ("", "digits-auto-quick-0"),
        ("photos/mine.npz --preset paper --epochs 2 --task reconstruct --seed 3", "mine-reconstruct-paper-3"),
    ):
        assert parse(text.split()).run()[1] == Path("runs") / name
    config, out = parse(["a", "--out", "b", "--seed=2"]).run()
    assert (config.data, config.seed, out) == ("a", 2, Path("b"))


def test_help_lists_flags_and_all_other_settings(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["train", "--help"])
    assert stop.value.code == 0
    text = capsys.readouterr().out
    assert all(flag in text for flag in ("--preset", "--task", "--epochs", "--generator", "--out", "--resume", "--set"))
    assert "num_sets=5" in text.replace("\n", " ")
