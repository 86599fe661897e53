"""`lgn train` as a user meets it: real processes, signals, exit statuses and sentences."""

import re
import signal
import time
from pathlib import Path

import pytest
import torch
from forked import start
from training.small import SMALL_WORDS, equal, small, weights

from lgn.cli import main
from lgn.commands.options import TrainOptions, parse, parse_config
from lgn.commands.train import run
from lgn.training import Config, Run, preset
from lgn.training.config import NetworkConfig

LONG = ["digits", *SMALL_WORDS, "--epochs", "6", "--batch-size", "4", "--checkpoint-seconds", "0.5"]  # 300 steps


def lgn_train(*words: str) -> tuple[int | None, str, str]:
    process = start("lgn.cli", ["train", *words])
    out, err = process.communicate()
    return process.returncode, out, err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
@pytest.mark.slow
def test_an_interrupted_training_says_how_to_continue_and_does(tmp_path: Path, number: signal.Signals) -> None:
    out = tmp_path / "a run"
    process = start("lgn.cli", ["train", *LONG, "--out", str(out)])
    while not (out / "checkpoint.pt").is_file():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    refused = pytest.raises(ValueError, match=r"out must not be in use, .* is being trained by another process")
    with refused:  # while it trains, nobody else may
        run([*LONG, "--out", str(out)])
    process.send_signal(number)
    printed, said = process.communicate()
    assert process.returncode == 130
    assert printed == ""
    assert said.splitlines()[-1].endswith(f"; continue with: lgn train --resume '{out}'")
    assert "Traceback" not in said
    stopped = Run(out)
    epoch, batch = stopped.checkpoint()["place"]
    assert not stopped.finished
    assert f"stopped in epoch {epoch + 1};" in said
    if number == signal.SIGTERM:
        return
    assert run([f"--resume={out}"]) == 0
    assert stopped.finished
    assert run([*LONG, "--out", str(tmp_path / "peaceful")]) == 0
    assert equal(weights(stopped), weights(Run(tmp_path / "peaceful")))
    assert (epoch, batch) != (6, 0)


def test_the_same_command_twice_gives_the_same_weights(tmp_path: Path) -> None:
    for name in ("one", "other"):
        status, printed, said = lgn_train("digits", *SMALL_WORDS, "--out", str(tmp_path / name))
        assert status == 0, said
        assert printed.splitlines()[-1] == f"run: {tmp_path / name}"
        assert "epoch 2/2  train_loss" in said  # a line an epoch in a log, no bar
        assert "\r" not in said
    one, other = Run(tmp_path / "one"), Run(tmp_path / "other")
    assert equal(weights(one), weights(other))
    assert equal(one.initial(), other.initial())
    accuracy = 100 * one.metrics[-1]["test_accuracy"]
    assert printed.startswith(f"test accuracy {accuracy:.2f} % after 2 epochs")
    assert "step * sigma_max by layer" in printed


def test_divergence_is_one_sentence_and_a_status(tmp_path: Path) -> None:
    status, printed, said = lgn_train("digits", *SMALL_WORDS, "--learning-rate", "1e30", "--out", str(tmp_path / "run"))
    assert status == 1
    assert printed == ""
    assert said.splitlines()[-1].startswith("lgn: error: the loss is nan in epoch 1; the largest gradient, ")
    assert "Traceback" not in said


@pytest.mark.parametrize(
    "words",
    [
        ["--learning-rate", "1e38", "--epochs", "1", "--batch-size", "200"],
        [
            "--clip",
            "None",
            "--learning-rate",
            "1",
            "--no-normalise",
            "--task",
            "reconstruct",
            "--epochs",
            "1",
            "--train-images",
            "60",
            "--num-layers",
            "4",
            "--num-sets",
            "5",
            "--kernel-size",
            "6",
        ],
    ],
)
def test_what_is_spoilt_by_the_last_step_is_no_success(words: list[str], tmp_path: Path) -> None:
    status, printed, said = lgn_train("digits", *SMALL_WORDS, *words, "--out", str(tmp_path / "run"))
    assert (status, printed) == (1, "")
    assert "; try a learning_rate below " in said.splitlines()[-1]
    assert "Traceback" not in said
    stopped = Run(tmp_path / "run")
    assert not stopped.finished
    if (stopped.path / "checkpoint.pt").is_file():
        assert all(bool(torch.isfinite(tensor).all()) for tensor in stopped.checkpoint()["model"].values())


def test_other_settings_in_the_same_place_are_refused(tmp_path: Path) -> None:
    words = ["digits", *SMALL_WORDS, "--epochs", "1", "--out", str(tmp_path / "run")]
    assert run(words) == 0
    with pytest.raises(ValueError, match=r"has seed 0 instead of 1$"):
        run([*words, "--seed", "1"])
    assert run(words) == 0  # a finished run is returned


def test_every_field_is_an_option_by_its_name() -> None:
    words = [
        "cifar10",
        "--preset",
        "paper",
        "--task",
        "reconstruct",
        "--seed",
        "3",
        "--step",
        "safe",
        "--padding",
        "same",
    ]
    words += ["--generator", "cyclic", "--validation", "0.1", "--grey", "--clip", "2", "--data-dir", "there"]
    config = parse_config(words, "lgn train", "")
    assert (config.data, config.preset, config.task, config.seed) == ("cifar10", "paper", "reconstruct", 3)
    assert (config.network.step, config.network.padding, config.network.generator) == ("safe", "same", "cyclic")
    assert (config.validation, config.grey, config.clip, config.data_dir) == (0.1, True, 2.0, Path("there"))
    assert config.epochs == 100
    assert parse_config(["--preset=released", "--task=reconstruct"], "lgn train", "") == preset(
        "released", "reconstruct"
    )
    assert parse_config(SMALL_WORDS, "lgn train", "").network == small().network


def test_what_is_asked_wrongly_is_answered_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="preset must be one of paper, released, stable, quick, net, got 'swift'"):
        parse_config(["--preset", "swift"], "lgn train", "")
    alone = "resume must stand alone, since a run keeps its settings, got"
    with pytest.raises(ValueError, match=f"{alone} --seed 1 too"):
        run(["--resume", str(tmp_path), "--seed", "1"])
    with pytest.raises(ValueError, match=f"{alone} --out there too"):
        run(["--out", "there", f"--resume={tmp_path}"])
    with pytest.raises(FileNotFoundError, match=r"run must be a directory with a config\.json"):
        run(["--resume", str(tmp_path)])
    with pytest.raises(ValueError, match="out and resume must not be given"):
        parse_config(["--out", "there"], "lgn sweep", "")
    for words, message in ((["--epochs", "few"], "--epochs"), (["--task", "win"], "win"), (["--out"], "--out")):
        with pytest.raises(SystemExit) as stop:
            parse_config(words, "lgn train", "")
        assert stop.value.code != 0
        assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--epochs 0", "epochs must be at least 1, got 0"),
        ("--clip -1", "clip must be positive and finite, got -1.0"),
        ("--clip 0", "clip must be positive and finite, got 0.0"),
        ("--clip nan", "clip must be positive and finite, got nan"),
        ("--learning-rate inf", "learning_rate must be positive and finite, got inf"),
        ("--generator-rate nan", "generator_rate must be finite and not negative, got nan"),
        ("--checkpoint-seconds nan", "checkpoint_seconds must be finite and not negative, got nan"),
        ("--penalty-weight nan", "penalty_weight must be finite and not negative, got nan"),
        ("--penalty-weight -1", "penalty_weight must be finite and not negative, got -1.0"),
        ("--validation nan", "validation must be a share from 0 to below 1, got nan"),
        ("--train-images 1", "train_images must be from 10"),
        ("--train-images 9", "train_images must be from 10"),
        ("--train-images -1", "train_images must be at least 1, got -1"),
        ("--seed 18446744073709551616", "seed must be from 0 to 18446744073709551615, got 18446744073709551616"),
        ("--seed -1", "seed must be from 0 to 18446744073709551615, got -1"),
        ("--data-seed -1", "data_seed must be from 0 to 18446744073709551615, got -1"),
        ("--norm nan", "norm must be positive and finite, got nan"),
        ("--norm 0 --generator orthogonal", "norm must be positive and finite, got 0.0"),
        ("--step nan", "step must be positive and finite, got nan"),
        ("--pool 0", "pool must be at least 1, got 0"),
        ("--padding -1", "padding must be at least 0, got -1"),
        (
            "--generator fixed --operator rotation_nan_bilinear",
            "degrees must be finite for operator 'rotation', got nan",
        ),
        (
            "--generator fixed --operator rotation_left",
            "degrees must be a number in operator 'rotation left', got 'left'",
        ),
    ],
)
def test_numbers_that_make_nonsense_are_refused_before_there_is_a_directory(
    words: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the command says it: one line, and nothing left."""
    given = [word.replace("_", " ") for word in words.split()]
    status = main(
        ["train", "digits", "--num-layers", "2", "--kernel-size", "5", *given, "--out", str(tmp_path / "run")]
    )
    assert status == 1
    assert capsys.readouterr().err == f"lgn: error: {sentence}\n"
    assert not list(tmp_path.iterdir())


def test_where_a_run_goes_if_nobody_says() -> None:
    for text, name in (
        ("", "digits-auto-quick-0"),
        ("photos/mine.npz --preset paper --epochs 2 --task reconstruct --seed 3", "mine-reconstruct-paper-3"),
    ):
        assert parse(TrainOptions, text.split(), "lgn train", "").settled()[1] == Path("runs") / name
    for words in (["a", "--out", "b", "--seed=2"], ["a", "--seed", "2", "--out=b"]):
        config, out = parse(TrainOptions, words, "lgn train", "").settled()
        assert (config.data, config.seed, out) == ("a", 2, Path("b"))


def test_help_fits_a_screen_and_help_all_has_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    shown = {}
    for word in ("--help", "--help-all"):
        with pytest.raises(SystemExit) as stop:
            main(["discover", word])
        assert stop.value.code == 0
        shown[word] = set(re.findall(r"(?<=[ │])--[a-z][a-z-]+", capsys.readouterr().out))
    fields = [*Config.__dataclass_fields__, *NetworkConfig.__dataclass_fields__, "preset", "out", "resume", "open"]
    every = {f"--{name.replace('_', '-')}" for name in fields if name not in ("data", "network")}
    assert every <= shown["--help-all"]
    some = shown["--help"] & every
    assert 11 <= len(some) <= 14
    assert {"--preset", "--task", "--epochs", "--generator", "--out", "--resume", "--open"} <= some
