"""The training of a `GroupNet` by a config."""

from pathlib import Path

import pytest
import torch
from training.small import equal, small, weights

import lgn
from lgn.front import contents_of
from lgn.generators import generators_of
from lgn.nn import Gates, GroupNet
from lgn.training import Run, build_model, preset, train
from lgn.training.optimisation import learning_rate

NET = {"num_sets": 5, "num_layers": 3, "parameters": 4000, "batch_size": 20}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run with trained generators."""
    config = small("net", **{**NET, "parameters": 12_000}, generator="dense", penalty="inverse")
    return train(config, tmp_path_factory.mktemp("net") / "run")


def test_training_lowers_the_loss_and_evaluates_test_images_once(trained: Run) -> None:
    model = trained.model()
    assert isinstance(model, GroupNet)
    first, last = trained.metrics
    assert last["train_loss"] < first["train_loss"]
    assert first["test_accuracy"] is None
    assert 0 <= last["test_accuracy"] <= 1
    assert "step_conditions" not in last
    assert last["penalty"] > 0  # the inverses are those of all layers
    before = trained.initial()
    assert all((g.matrix() != before[f"{name}.matrix"]).any() for name, g in generators_of(model).items())


def test_its_generators_are_named_by_module_and_shown_with_their_bases(trained: Run) -> None:
    lgn.analyze(trained, draws=20).save(trained.path / "analysis.json")
    contents = contents_of(trained.path)
    names = [generator.name for generator in contents.analysis.generators]
    assert names[0] == "convolutions.0, set 1"
    assert len(names) == sum(trained.model().widths)  # type: ignore[arg-type]
    assert contents.bases is not None
    assert contents.network is None  # the figure draws unfolded networks


def test_gates_are_trained_and_continue_bit_for_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A training that is stopped while gates change ends with the gates of an uninterrupted training."""
    import signal

    from lgn.training import Interrupted, checkpoint

    config = small("net", **NET, group="C8", gates=True, epochs=2)
    whole = train(config, tmp_path / "whole")
    gates = whole.model().gates
    assert isinstance(gates, Gates)
    assert (gates.logits != 0).all()
    add, seen = checkpoint.State.add, []

    def stopped(state: checkpoint.State, *values: float) -> None:
        add(state, *values)  # type: ignore[arg-type]
        seen.append(gates_of(state))
        if len(seen) == 13:
            signal.raise_signal(signal.SIGINT)

    def gates_of(state: checkpoint.State) -> float:
        model = state.objective.model
        assert isinstance(model, GroupNet)
        assert model.gates is not None
        return float(model.gates.logits.detach().abs().sum())

    monkeypatch.setattr(checkpoint.State, "add", stopped)
    with pytest.raises(Interrupted):
        train(config, tmp_path / "stopped")
    assert (seen[7], seen[8] > 0) == (0.0, True)  # they wait for 40 % of 20 steps
    again = train(config, tmp_path / "stopped")
    assert equal(weights(whole), weights(again))
    assert whole.metrics[-1]["train_loss"] == again.metrics[-1]["train_loss"]


def test_the_schedule_rises_and_falls_once() -> None:
    config = preset("net")
    rates = [learning_rate(config, step / 1000) for step in range(1001)]
    top = rates.index(max(rates))
    assert max(rates) == pytest.approx(config.learning_rate)
    assert rates[: top + 1] == sorted(rates[: top + 1])
    assert rates[top:] == sorted(rates[top:], reverse=True)
    assert rates[-1] < 1e-2 * config.learning_rate


@pytest.mark.parametrize("generator", ["fixed", "dense"])
def test_decay_makes_filters_smaller_and_leaves_scales_and_generators_alone(tmp_path: Path, generator: str) -> None:
    """With a rate so small that gradients do nothing, a step takes `rate * decay` off what decays."""
    sizes = {}
    for decay in (0.0, 1000.0):
        net = {**NET, "parameters": 12_000, "generator": generator}
        config = small("net", **net, epochs=1, learning_rate=1e-6, weight_decay=decay, schedule="halved")
        sizes[decay] = weights(train(config, tmp_path / str(decay)))
    steps = 10
    halves = sum(0.5 ** sum(step / steps >= mark for mark in (0.5, 0.75, 0.875)) for step in range(steps))
    for name, plain in sizes[0.0].items():
        if not plain.is_floating_point() or "running" in name:  # what is not trained
            continue
        factor = 1 - 1e-3 * halves if plain.ndim > 1 and "generator" not in name else 1.0
        torch.testing.assert_close(sizes[1000.0][name], factor * plain, rtol=1e-4, atol=1e-4)


def test_augmentation_depends_on_the_seed_only(tmp_path: Path) -> None:
    runs = [
        weights(train(small("net", **NET, epochs=1, augment=way), tmp_path / name))
        for name, way in (("plain", "none"), ("one", "turns"), ("other", "turns"))
    ]
    assert equal(runs[1], runs[2])
    assert not equal(runs[0], runs[1])


@pytest.mark.parametrize("changes", [{"norm": 1.0}, {"algorithm": "fista"}, {"num_sets": 4}, {"group": "S3"}], ids=str)
def test_settings_that_a_net_does_not_have_are_refused(changes: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(changes))):
        build_model(small("net", **{**NET, **changes}), (1, 28, 28), 10, "classify")
    with pytest.raises(ValueError, match="task must"):
        build_model(small("net", **NET), (1, 28, 28), 0, "reconstruct")
