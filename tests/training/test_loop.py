"""The training loop: objective, metrics, repeatability, divergence."""

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from training.small import equal, small, weights

import lgn.data
from lgn.generators import generators_of
from lgn.nn import OrbitBank
from lgn.training import Diverged, Run, build_model, evaluate, load_images, train
from lgn.training.checkpoint import State
from lgn.training.objective import Objective

CLASSIFY = ["epoch", "train_loss", "penalty", "train_accuracy", "validation_accuracy", "test_accuracy"]
RECONSTRUCT = ["epoch", "train_loss", "penalty", "train_error", "validation_error", "test_error", "test_active"]


def comparable(run: Run) -> list[dict[str, Any]]:
    return [{name: value for name, value in line.items() if name != "seconds"} for line in run.metrics]


def test_metrics_have_the_documented_names(finished: Run, tmp_path: Path) -> None:
    text = (finished.path / "metrics.jsonl").read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    assert [list(line) for line in lines] == [[*CLASSIFY, "step_conditions", "filters", "seconds"]] * 2
    assert [line["epoch"] for line in lines] == [1, 2]
    assert all(line["validation_accuracy"] is None for line in lines)
    assert 0 < lines[0]["seconds"] < lines[1]["seconds"]
    run = train(small(task="reconstruct", epochs=1), tmp_path / "run")
    assert list(run.metrics[0]) == [*RECONSTRUCT, "step_conditions", "filters", "seconds"]
    assert 0 < run.metrics[0]["test_active"] < 1


def test_metrics_agree_with_evaluate(tmp_path: Path) -> None:
    for task, name in (("classify", "accuracy"), ("reconstruct", "error")):
        config = small(task=task, validation=0.1, epochs=1)
        run = train(config, tmp_path / task)
        images, model = load_images(config), run.model()
        for part in ("validation", "test"):
            assert evaluate(model, images, part)[name] == pytest.approx(run.metrics[-1][f"{part}_{name}"], rel=1e-6)


def test_the_first_line_is_the_mean_over_the_steps_of_the_epoch(tmp_path: Path) -> None:
    """One step per epoch with a tiny learning rate: loss and penalty are those of the untrained network."""
    config = small(batch_size=200, epochs=1, learning_rate=1e-12, penalty_weight=0.5, penalty="closure")
    run = train(config, tmp_path / "run")
    torch.manual_seed(0)
    model = lgn.training.build_model(config, (1, 28, 28), 10, "classify").train()
    x, labels = load_images(config).batch("train", torch.arange(200), torch.device("cpu"))
    with torch.no_grad():
        loss = torch.nn.functional.cross_entropy(model(x), labels)
        a = next(iter(generators_of(model).values())).matrix().flatten(0, 1)
        closure = torch.linalg.matrix_norm(torch.linalg.matrix_power(a, 4) - torch.eye(25)).sum()
    assert run.metrics[0]["train_loss"] == pytest.approx(float(loss), rel=1e-4)
    assert run.metrics[0]["penalty"] == pytest.approx(0.5 * float(closure), rel=1e-4)


def test_training_learns_to_classify(tmp_path: Path) -> None:
    run = train(small(train_images=2000, epochs=4, num_sets=3), tmp_path / "run")
    assert run.metrics[-1]["test_accuracy"] > 0.7
    assert run.metrics[-1]["train_loss"] < run.metrics[0]["train_loss"] / 2


def test_the_same_config_gives_the_same_weights_bit_for_bit(finished: Run, tmp_path: Path) -> None:
    torch.rand(100)  # what was drawn before does not matter
    again = train(small(), tmp_path / "again")
    assert equal(weights(again), weights(finished))
    assert comparable(again) == comparable(finished)
    other = train(small(seed=1), tmp_path / "other")
    assert not equal(weights(other), weights(finished))


@pytest.mark.parametrize("task", ["classify", "reconstruct"])
def test_the_released_preset_keeps_its_norms(tmp_path: Path, task: str) -> None:
    """Generators and bases have Frobenius norm 1 after training; auxiliary inverses do not."""
    run = train(small("released", task, preprocess="standardise"), tmp_path / "run")
    model = run.model()
    (bank,) = (module for module in model.modules() if isinstance(module, OrbitBank))
    matrix = bank.generator.matrix()
    assert matrix.shape == (4, 1, 25, 25)  # 2 layers of 2 sets, one channel
    for tensor in (matrix, bank.basis):
        norms = torch.linalg.matrix_norm(tensor.detach())
        torch.testing.assert_close(norms, torch.ones_like(norms), rtol=1e-5, atol=0)
    start = run.initial()["encoder.bank.generator.matrix"]
    assert not torch.equal(start, matrix)
    (inverse,) = run.checkpoint()["penalty"].values()
    norms = torch.linalg.matrix_norm(inverse)
    assert (norms - 1).abs().min() > 1e-3
    assert ("dictionary.filters" in model.state_dict()) == (task == "reconstruct")
    assert any("norms" in name for name in model.state_dict()) == (task == "classify")


def test_frozen_filters_stay_and_the_head_learns(tmp_path: Path) -> None:
    run = train(small(freeze_filters=True, epochs=1), tmp_path / "run")
    after = weights(run)
    assert torch.equal(after["encoder.bank.basis"], run.initial()["encoder.bank.basis"])
    torch.manual_seed(0)
    fresh = lgn.training.build_model(run.config, (1, 28, 28), 10, "classify")
    assert not torch.equal(after["head.weight"], fresh.state_dict()["head.weight"])
    assert run.metrics[-1]["penalty"] == 0


def test_the_gradient_is_clipped(tmp_path: Path) -> None:
    """The first moment of Adam after one step is a tenth of the gradient."""
    for clip, norm in ((1e-3, 1e-4), (None, None)):
        run = train(small(batch_size=200, epochs=1, clip=clip), tmp_path / str(clip))
        moments = [moment["exp_avg"] for moment in run.checkpoint()["optimizer"]["state"].values()]
        found = float(torch.cat([moment.flatten() for moment in moments]).norm())
        assert found == pytest.approx(norm, rel=1e-3) if norm is not None else found > 1e-3


def write_digits(path: Path, flip_test: bool) -> str:
    """Some digits as a file of a user, with true or with wrong test labels."""
    digits = lgn.data.load("digits")
    assert digits.train.labels is not None
    assert digits.test.labels is not None
    answers = digits.test.labels[:100].numpy()
    np.savez(
        path,
        images=digits.train.samples[:600, 0].numpy(),
        labels=digits.train.labels[:600].numpy(),
        test_images=digits.test.samples[:100, 0].numpy(),
        test_labels=(answers + 1) % 10 if flip_test else answers,
    )
    return str(path)


def test_validation_images_choose_the_epoch_and_test_images_do_not(tmp_path: Path) -> None:
    runs = []
    for flip in (False, True):
        data = write_digits(tmp_path / f"{flip}.npz", flip)
        config = small(data=data, train_images=None, validation=0.25, epochs=6, learning_rate=0.1)
        runs.append(train(config, tmp_path / f"run {flip}"))
    honest, flipped = runs
    scores = [line["validation_accuracy"] for line in honest.metrics]
    assert [line["test_accuracy"] for line in honest.metrics] != [line["test_accuracy"] for line in flipped.metrics]
    assert equal(weights(honest, "best.safetensors"), weights(flipped, "best.safetensors"))
    assert equal(weights(honest), weights(flipped))
    best = honest.model()
    assert equal(dict(best.state_dict()), weights(honest, "best.safetensors"))
    images = load_images(honest.config)
    assert evaluate(best, images, "validation")["accuracy"] == pytest.approx(max(scores))


def test_a_loss_that_is_not_finite_stops_the_run(tmp_path: Path) -> None:
    config = small(learning_rate=1e30)
    with pytest.raises(Diverged) as stop:
        train(config, tmp_path / "run")
    message = str(stop.value)
    assert re.search("epoch 1.* (layer|head).* no checkpoint .* learning_rate .*1e\\+30.* clip .*2", message), message
    assert not Run(tmp_path / "run").finished


def is_sound(run: Run) -> bool:
    """Whether all stored numbers of a run are finite."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} in metrics.jsonl")

    stored = run.checkpoint()
    moments = [moment for state in stored["optimizer"]["state"].values() for moment in state.values()]
    lines = [json.loads(line, parse_constant=refuse) for line in (run.path / "metrics.jsonl").read_text().splitlines()]
    assert lines == stored["history"][: len(lines)]
    tensors = [*stored["model"].values(), *stored["penalty"].values(), *moments]
    return all(bool(torch.isfinite(tensor).all()) for tensor in tensors)


def test_the_last_checkpoint_before_a_divergence_is_finite(tmp_path: Path) -> None:
    """The network grows until it overflows; the checkpoint is finite and of the epoch before."""
    config = small(
        task="reconstruct", normalise=False, learning_rate=1.0, batch_size=200, epochs=50, checkpoint_seconds=0.0
    )
    with pytest.raises(Diverged) as stop:
        train(config, tmp_path / "run")
    run = Run(tmp_path / "run")
    epochs = len(run.metrics)
    assert f"of epoch {epochs + 1};" in str(stop.value) or f"in epoch {epochs + 1};" in str(stop.value)
    assert "the last checkpoint is kept" in str(stop.value)
    assert epochs >= 1
    assert run.checkpoint()["place"] == [epochs, 0]
    assert is_sound(run)
    with pytest.raises(Diverged):  # it can be continued, though not to a better end
        train(config, run.path)
    assert run.checkpoint()["place"] == [epochs, 0]


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"learning_rate": 1e38}, "encoder.threshold"),  # an infinite threshold: no codes, and a finite loss
        ({"learning_rate": 1e25}, "step_conditions"),  # finite weights, and nothing can be computed with them
        ({"learning_rate": 1e38, "name": "net", "num_sets": 5}, ""),
        ({"learning_rate": 1e38, "penalty": "none", "clip": None}, ""),
    ],
)
def test_a_last_step_with_infinite_weights_is_a_divergence(changes: dict[str, Any], what: str, tmp_path: Path) -> None:
    """No loss is computed after the last step, so weights and measurements are checked."""
    with pytest.raises(Diverged, match=r"is not finite after step 1 of epoch 1; no checkpoint was written yet") as stop:
        train(small(batch_size=200, epochs=1, **changes), tmp_path / "run")
    assert what in str(stop.value)
    left = {entry.name for entry in (tmp_path / "run").iterdir() if not entry.name.startswith(".")}
    assert left == {"config.json", "environment.json", "initial.safetensors"}


def test_an_infinite_measurement_is_a_divergence(tmp_path: Path) -> None:
    """Weights and optimiser are finite after the only step; the error of the test images is not."""
    sizes = {"train_images": 60, "num_layers": 4, "num_sets": 5, "kernel_size": 6}
    config = small(task="reconstruct", normalise=False, clip=None, learning_rate=1.0, epochs=1, **sizes)
    with pytest.raises(Diverged, match=r"^test_error .* epoch 1"):
        train(config, tmp_path / "run")
    assert Run(tmp_path / "run").metrics == []
    assert not Run(tmp_path / "run").finished


def test_infinite_moments_of_the_optimiser_are_found() -> None:
    """The square of a gradient of 1e25 is infinite in float32: Adam would never move that weight again."""
    model = build_model(small(), (1, 28, 28), 10, "classify")
    objective = Objective(model, None)
    state = State(objective, torch.optim.Adam(objective.parameters(), lr=1e-3))
    assert state.not_finite() is None
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    model.encoder.threshold.grad[0, 0] = 1e25
    state.optimizer.step()
    assert all(bool(parameter.isfinite().all()) for parameter in model.parameters())
    assert state.not_finite() == "exp_avg_sq of encoder.threshold"
    with torch.no_grad():
        model.head.bias[0] = math.nan
    assert state.not_finite() == "head.bias"


@pytest.mark.parametrize("device", ["cuda", "mps"])
def test_devices(tmp_path: Path, device: str, finished: Run) -> None:
    if not (torch.cuda.is_available() if device == "cuda" else torch.backends.mps.is_available()):
        pytest.skip(f"needs a {device} device, and there is none")
    run = train(small(device=device), tmp_path / "run")
    assert run.metrics[0]["train_loss"] == pytest.approx(finished.metrics[0]["train_loss"], rel=0.05)
    lgn.load(run.path, device=device)


@pytest.mark.parametrize("generator", ["orthogonal", "cyclic", "kronecker", "low-rank", "circulant", "free"])
def test_every_family_trains_and_loads(tmp_path: Path, generator: str) -> None:
    run = train(small(generator=generator, epochs=1), tmp_path / "run")
    assert equal(dict(run.model().state_dict()), run.checkpoint()["model"])
