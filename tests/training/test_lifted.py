"""Lifted training: free filters first, then orbits of the generator that they show, and nothing lost on the way."""

import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest
import torch
from forked import start
from training.small import SMALL, equal, small, weights

import lgn
from lgn.algebra import orbit
from lgn.commands.options import parse_config
from lgn.discovery import lift
from lgn.nn import FreeBank, OrbitBank
from lgn.operators import operator
from lgn.training import Config, Run, build_model, load_images, preset, train
from lgn.training.lifted import free_config
from lgn.training.loop import train_run
from lgn.training.processes import Processes
from lgn.training.progress import Progress

LIFTED: dict[str, Any] = {"train": "lifted", "num_sets": 9, "order": 4, "kernel_size": 5}  # 27 pairs for 25 pixels
GENERATOR = "encoder.bank.generator.weight"


def lifted(**changes: Any) -> Config:
    return small(**{**LIFTED, **changes})


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return train(lifted(epochs=2), tmp_path_factory.mktemp("lifted") / "run", progress=False)


def test_the_run_begins_with_what_lift_makes_of_the_free_run(finished: Run) -> None:
    free = Run.open(finished.path / "free")
    assert free.config == free_config(finished.config)
    assert (free.config.epochs, free.config.network.generator) == (1, "free")
    made = lift(free.model(), freeze=True)
    bank = made.model.encoder.bank
    assert isinstance(bank, OrbitBank)
    assert torch.equal(finished.initial()["encoder.bank.basis"], bank.basis)
    assert torch.equal(finished.initial()["encoder.bank.generator.matrix"], bank.generator.matrix())
    written = json.loads((finished.path / "lift.json").read_text())
    assert written["generator_rate"] == 0
    assert [layer["residual"] for layer in written["layers"]] == [fit.residual for fit in made.fits]
    assert [layer["distance"] for layer in written["layers"]] == list(made.distances)
    assert {(layer["identifiable_dimension"], layer["dimensions"]) for layer in written["layers"]} == {(25, 25)}


def test_the_time_left_is_that_of_all_stages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each stage begins where the last one ended, on a scale that is that of the whole command."""
    begun: list[tuple[int, int]] = []

    class Recorded(Progress):
        def __init__(self, total: int, done: int, shown: bool) -> None:
            begun.append((done, total))
            super().__init__(total, done, shown)

    monkeypatch.setattr("lgn.training.loop.Progress", Recorded)
    train(small(train="lifted", epochs=2, lift_epochs=3, batch_size=100), tmp_path / "lifted", progress=False)
    assert begun == [(0, 10), (6, 10)]  # two steps an epoch
    begun.clear()
    searching = {"starts": 2, "start_epochs": 1, "validation": 0.01, "epochs": 2, "batch_size": 200}
    train(small(**searching), tmp_path / "starts", progress=False)
    assert begun == [(done, 14) for done in range(13)]  # two starts, the best and free filters five times each, the run


def test_the_network_goes_on_from_all_that_the_free_run_learned(finished: Run, tmp_path: Path) -> None:
    """At a rate too small to matter, the head and the thresholds end as those of the free run."""
    still = train(lifted(epochs=1, lift_epochs=2, learning_rate=1e-12), tmp_path / "still", progress=False)
    learned = weights(Run(still.path / "free"))
    assert torch.allclose(weights(still)["head.weight"], learned["head.weight"], atol=1e-9)
    learned = weights(Run(finished.path / "free"))
    assert not torch.equal(weights(finished)["head.weight"], learned["head.weight"])


def test_a_frozen_generator_stays_and_its_bases_learn(finished: Run) -> None:
    before, after = finished.initial(), weights(finished)
    assert torch.equal(after[GENERATOR], before["encoder.bank.generator.matrix"])
    assert not torch.equal(after["encoder.bank.basis"], before["encoder.bank.basis"])
    assert finished.metrics[-1]["penalty"] == 0
    assert equal(dict(finished.model().state_dict()), after)


def test_a_slow_generator_moves_slowly(tmp_path: Path) -> None:
    """Adam's first step is the rate, in every entry that has a gradient."""
    run = train(lifted(epochs=1, batch_size=200, generator_rate=0.01), tmp_path / "run", progress=False)
    before, after = run.initial(), weights(run)
    steps = [
        float((after[GENERATOR] - before["encoder.bank.generator.matrix"]).abs().max()),
        float((after["encoder.bank.basis"] - before["encoder.bank.basis"]).abs().max()),
    ]
    assert steps == pytest.approx([1e-4, 1e-2], rel=0.01)
    assert [group["lr"] for group in run.checkpoint()["optimizer"]["param_groups"]] == pytest.approx([1e-2, 1e-4])


@pytest.mark.parametrize("snap", ["none", "permutation"])
def test_planted_orbits_are_found(tmp_path: Path, snap: Any) -> None:
    """Free filters that are orbits of the quarter turn: the lifted run begins with them, and with the turn itself."""
    config = lifted(epochs=1, snap=snap)
    turn = operator("rotation", (5, 5), degrees=90)
    plant(config, tmp_path / "run", turn)
    run = train(config, tmp_path / "run", progress=False)
    matrices = run.initial()["encoder.bank.generator.matrix"][:, 0]
    torch.testing.assert_close(matrices, turn.float().expand_as(matrices), atol=1e-4, rtol=0)
    layers = json.loads((run.path / "lift.json").read_text())["layers"]
    assert all(layer["residual"] < 1e-5 and layer["distance"] < 1e-5 and layer["p_value"] == 0.01 for layer in layers)
    if snap == "permutation":
        assert torch.equal(matrices, turn.float().expand_as(matrices))
        for each in lgn.analyze(run, draws=50).generators:  # what snapping made is no finding; what it is, is one
            (score,) = (score for score in each.scores if score.name == "permutation")
            assert score.by_construction
            assert "permutation" not in {finding.name for finding in each.findings}
            assert each.nearest[0].cosine == pytest.approx(1, abs=1e-6)


def plant(config: Config, out: Path, matrix: torch.Tensor) -> None:
    """Put a finished free run, whose filters are orbits, where the training looks for one."""
    images, first = load_images(config), free_config(config)
    torch.manual_seed(0)
    model = build_model(first, (1, 28, 28), 10, "classify")
    bank = model.encoder.bank
    assert isinstance(bank, FreeBank)
    bases = torch.randn(len(bank.filters) // 4, 1, 5, 5, dtype=torch.float64)
    with torch.no_grad():
        bank.filters.copy_(orbit(matrix, bases, 4).transpose(0, 1).flatten(0, 1))
    Run(out).path.mkdir()
    Run(out).create(config, images.facts)
    free = Run(out / "free")
    free.path.mkdir()
    free.create(first, images.facts)
    free.save_model(model)
    group = Processes(0, 1, torch.device("cpu"))
    assert train_run(first, free, group, images, progress=False).metrics == []  # it is taken for finished


WORDS = [word for name, value in (SMALL | LIFTED).items() for word in (f"--{name.replace('_', '-')}", str(value))]


@pytest.mark.slow
def test_kills_in_either_stage_change_nothing(tmp_path: Path) -> None:
    options = [*WORDS, "--train-images", "80", "--epochs", "4", "--batch-size", "8", "--generator-rate", "0.1"]
    options += ["--checkpoint-seconds", "0"]
    killed = tmp_path / "killed"
    for checkpoint in (killed / "free" / "checkpoint.pt", killed / "checkpoint.pt"):
        process = start("lgn.cli", ["train", "digits", *options, "--out", str(killed)])
        while not checkpoint.is_file():
            assert process.poll() is None
            time.sleep(0.005)
        time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
    config = parse_config(["digits", *options], "lgn train", "")
    for out in (killed, tmp_path / "peaceful"):
        train(config, out, progress=False)
    for part in ("", "free"):
        assert equal(weights(Run(killed / part)), weights(Run(tmp_path / "peaceful" / part)))
    assert equal(Run(killed).initial(), Run(tmp_path / "peaceful").initial())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"architecture": "cnn"}, "architecture must be 'unfolded' for train 'lifted', got 'cnn'"),
        ({"generator": "cyclic"}, "generator must be 'dense' for train 'lifted', which fits it to free filters"),
        ({"generator": "free"}, "generator must be 'dense' for train 'lifted'"),
        ({"share": "set"}, "share must be 'layer' for train 'lifted', which fits one to each, got 'set'"),
        ({"norm": 1.0}, "norm must be None for train 'lifted', which would lose what was fitted, got 1.0"),
        ({"freeze_filters": True}, "freeze_filters must be off for train 'lifted'"),
        ({"starts": 2, "validation": 0.1}, "starts must be 1 for train 'lifted'"),
        ({"lift_method": "unordered", "order": 7}, "order must be at most 6 for lift_method 'unordered', got 7"),
        ({"lift_epochs": 0}, "lift_epochs must be at least 1, got 0"),
        ({"train": "direct", "snap": "roots"}, "snap must be given with train 'lifted' alone, got 'roots'"),
    ],
)
def test_where_lifting_makes_no_sense(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as refusal:
        lifted(**changes)
    assert str(refusal.value).startswith(message)


def test_every_preset_can_be_lifted() -> None:
    assert small("released", train="lifted").network.norm is None
    assert small("quick", train="lifted").network.share == "layer"
    for name in ("quick", "paper", "released"):
        network = preset(name, train="lifted").network  # of grey images: more pairs than pixels, and not just so
        assert network.num_sets * (network.order - 1) >= 2 * network.kernel_size**2
    assert small("quick").network.share == "set"
