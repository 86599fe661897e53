"""`lgn sweep`: the product of settings, what every run gets, and what is refused."""

from pathlib import Path

import pytest

from lgn.cli import main
from lgn.commands.sweep_command import Options
from lgn.training.presets import nearest_preset


def test_every_combination_is_trained_with_all_seeds() -> None:
    options = Options(
        data="mnist,cifar10",
        preset="paper,released",
        task="classify,reconstruct",
        seeds=10,
        epochs=3,
        set=("num_sets=7",),
    )
    configs = options.configs()
    assert len({(config.data, nearest_preset(config), config.task, config.seed) for config in configs}) == 80
    assert {(config.epochs, config.network.num_sets) for config in configs} == {(3, 7)}
    # The preset depends on the task.
    released = [config for config in configs if nearest_preset(config) == "released" and config.task == "reconstruct"]
    assert {config.network.decoder for config in released} == {"free"}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--seeds", "0"], "seeds must be at least 1, got 0"),
        (["--set", "seed=3"], "seed"),
        (["--data", "digits,,mnist"], "data"),
        (["--preset", "quick,huge"], "huge"),
        (["--task", "win"], "task"),
        (["--threads", "0"], "threads must be at least 1, got 0"),
        (["--retries", "-1"], "retries"),
        (["--data", "no-such-folder"], "no-such-folder"),
        (["--address", "127.0.0.1:1"], "address"),
    ],
)
def test_wrong_options_are_refused_before_anything_starts(
    args: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], offline: Path
) -> None:
    assert main(["sweep", *args, "--out", str(tmp_path / "out")]) == 1
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
