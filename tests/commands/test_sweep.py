"""`lgn sweep`: the product of settings, what is passed on, and what is refused."""

from pathlib import Path

import pytest

from lgn.cli import main
from lgn.commands.sweep import Options, configs_of


def test_the_product_of_settings_each_for_all_seeds() -> None:
    options = Options(data="mnist,cifar10", preset="paper,released", task="classify,reconstruct", seeds=10)
    configs = configs_of(options, ["--epochs", "3", "--num-sets", "7"])
    assert len(configs) == 2 * 2 * 2 * 10
    assert len({(c.data, c.preset, c.task, c.seed) for c in configs}) == 80
    assert {(c.epochs, c.network.num_sets) for c in configs} == {(3, 7)}
    # A preset is what it is for its task.
    assert {c.network.decoder for c in configs if c.preset == "released" and c.task == "reconstruct"} == {"free"}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--seeds", "0"], "seeds must be at least 1, got 0"),
        (["--seed", "3"], "seed must not be given to a sweep"),
        (["--data", "digits,,mnist"], "data must be names separated by single commas, got 'digits,,mnist'"),
        (["--preset", "quick,huge"], "preset must be one of paper, released, stable, quick, net, got 'huge'"),
        (["--threads", "0"], "threads must be at least 1, got 0"),
        (["--retries", "-1"], "retries must not be negative, got -1"),
        (["--data", "no-such-folder"], "no-such-folder"),
        (["--address", "127.0.0.1:1"], "address must be that of a running Ray cluster, got '127.0.0.1:1'"),
    ],
)
def test_what_is_wrong_is_said_before_anything_starts(
    args: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], offline: Path
) -> None:
    assert main(["sweep", *args, "--out", str(tmp_path / "out")]) == 1
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_an_unknown_option_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["sweep", "--bogus", "3", "--out", str(tmp_path / "out")])
    assert stopped.value.code == 2
