"""The loop: one readable function that trains a network and leaves a run directory."""

import io
import json
import math
import time
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from lgn.data import epoch_order
from lgn.nn import Autoencoder, cached, project
from lgn.training.build import build_model, build_penalty, learning_rate
from lgn.training.config import Config
from lgn.training.files import write_whole
from lgn.training.images import Images, load_images
from lgn.training.objective import Diverged, Objective, largest_gradient, task_score
from lgn.training.processes import Processes, processes
from lgn.training.progress import Progress, interruptible
from lgn.training.run import Run

EVALUATION_BATCH = 500


class Interrupted(Exception):
    """The training was asked to stop, and wrote a checkpoint."""


def train(config: Config, out: str | Path, *, progress: bool = True) -> Run:
    """Train as the config says and leave everything in the directory `out`; continue where a run stopped.

    Under torchrun, each process takes its part of every batch, and the first one writes. A run that has finished is
    returned as it is.
    """
    run = Run(out)
    with processes(config.device) as group:
        if not group.writes:
            _train(config, run, group, progress=False)
            return run
        with run.locked():
            images = load_images(config)
            run.create(config, images.facts)
            if not run.finished or group.count > 1:
                _train(config, run, group, progress, images)
    return run


def _train(config: Config, run: Run, group: Processes, progress: bool, images: Images | None = None) -> None:
    images = images or load_images(config)
    facts = images.facts
    dtype = torch.float64 if config.precision == "float64" else torch.float32

    torch.manual_seed(config.seed)
    model = build_model(config, tuple(facts["image_shape"]), len(facts["class_names"]), facts["task"]).to(group.device)
    objective = Objective(model, build_penalty(config, model)).to(group.device)
    parameters = [parameter for parameter in objective.parameters() if parameter.requires_grad]
    optimizer = torch.optim.Adam(parameters, lr=config.learning_rate, fused=group.device.type in ("cpu", "cuda"))
    state = _State(objective, optimizer)
    if (run.path / "checkpoint.pt").is_file():
        state.restore(run.checkpoint())
    elif group.writes:
        run.save_initial(model)

    count = len(images.parts["train"][0])
    batches = math.ceil(count / config.batch_size)
    wrapped = group.wrap(objective)
    bar = Progress(config.epochs * batches, state.epoch * batches + state.batch, progress)
    writer = _tensorboard(config, run) if group.writes else None
    began = saved = time.monotonic()
    with interruptible() as interrupt:
        while state.epoch < config.epochs:
            objective.train()
            order = epoch_order(count, config.seed, state.epoch)
            while state.batch < batches:
                chosen = order[state.batch * config.batch_size : (state.batch + 1) * config.batch_size]
                rate = learning_rate(config, (state.epoch * batches + state.batch) / (config.epochs * batches))
                for parameter_group in optimizer.param_groups:
                    parameter_group["lr"] = rate
                with torch.autocast(group.device.type, torch.bfloat16, enabled=config.precision == "bfloat16"):
                    score = wrapped(*images.batch("train", group.share(chosen), group.device, dtype))
                # DDP averages gradients: times the processes, over the global batch, is the mean over its images.
                loss = score.loss * (group.count / len(chosen)) + score.penalty
                optimizer.zero_grad()
                loss.backward()
                if group.any(not math.isfinite(loss.item())):
                    _stop_diverged(config, model, state.epoch, loss.item())
                if config.clip is not None:
                    nn.utils.clip_grad_norm_(parameters, config.clip)
                optimizer.step()
                if config.network.norm is not None:
                    project(model)
                state.add(score.loss.item(), score.quality.item(), score.penalty.item(), len(group.share(chosen)))
                bar.step(state.epoch + 1, config.epochs, state.means(facts["task"]))
                if group.writes and time.monotonic() - saved > config.checkpoint_seconds:
                    _save(run, state, time.monotonic() - began)
                    saved = time.monotonic()
                if group.any(interrupt.asked):
                    bar.close()
                    if group.writes:
                        _save(run, state, time.monotonic() - began)
                    raise Interrupted(
                        f"stopped in epoch {state.epoch + 1}; continue with: lgn train --resume {run.path}"
                    )
            line = _epoch_line(config, group, images, model, state, dtype)
            line["seconds"] = round(state.seconds + time.monotonic() - began, 3)
            state.history.append(line)
            _keep_best(run, group, model, state.history)
            state.next_epoch()
            if group.writes:
                write_whole(
                    run.path / "metrics.jsonl", "".join(json.dumps(row) + "\n" for row in state.history).encode()
                )
                _save(run, state, time.monotonic() - began)
                saved = time.monotonic()
            if writer is not None:
                for name, value in line.items():
                    if isinstance(value, float):
                        writer.add_scalar(name, value, line["epoch"])
            bar.epoch(line, config.epochs)
    bar.close()
    if group.writes:
        run.save_model(model)


class _State:
    """All that a checkpoint holds: networks, optimiser, random numbers, the place in the epoch, sums and history."""

    def __init__(self, objective: Objective, optimizer: torch.optim.Optimizer) -> None:
        self.objective, self.optimizer = objective, optimizer
        self.epoch, self.batch, self.seconds = 0, 0, 0.0
        self.sums = [0.0, 0.0, 0.0, 0.0]  # loss, quality, penalty, images of this epoch
        self.history: list[dict[str, Any]] = []

    def add(self, loss: float, quality: float, penalty: float, images: int) -> None:
        self.batch += 1
        self.sums = [a + b for a, b in zip(self.sums, (loss, quality, penalty, float(images)), strict=True)]

    def means(self, task: str) -> dict[str, float]:
        loss, quality, penalty, images = self.sums
        name = "accuracy" if task == "classify" else "error"
        return {"loss": loss / max(images, 1), name: quality / max(images, 1), "penalty": penalty / max(self.batch, 1)}

    def next_epoch(self) -> None:
        self.epoch, self.batch, self.sums = self.epoch + 1, 0, [0.0, 0.0, 0.0, 0.0]

    def to_dict(self, seconds: float) -> dict[str, Any]:
        penalty = self.objective.penalty
        return {
            "model": self.objective.model.state_dict(),
            "penalty": {} if penalty is None else penalty.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "random": torch.get_rng_state(),
            "place": [self.epoch, self.batch],
            "sums": self.sums,
            "history": self.history,
            "seconds": self.seconds + seconds,
        }

    def restore(self, stored: dict[str, Any]) -> None:
        self.objective.model.load_state_dict(stored["model"])
        if self.objective.penalty is not None:
            self.objective.penalty.load_state_dict(stored["penalty"])
        self.optimizer.load_state_dict(stored["optimizer"])
        torch.set_rng_state(stored["random"])
        self.epoch, self.batch = stored["place"]
        self.sums, self.history, self.seconds = stored["sums"], stored["history"], stored["seconds"]


def _save(run: Run, state: _State, seconds: float) -> None:
    buffer = io.BytesIO()
    torch.save(state.to_dict(seconds), buffer)
    write_whole(run.path / "checkpoint.pt", buffer.getvalue())


def evaluate(
    model: nn.Module, images: Images, part: str, dtype: torch.dtype = torch.float32, group: Processes | None = None
) -> dict[str, float]:
    """Accuracy, or error and the share of codes that are not zero, on a part of the images."""
    group = group or Processes(0, 1, next(model.parameters()).device)
    count = len(images.parts[part][0])
    sums = torch.zeros(3, dtype=torch.float64, device=group.device)
    was_training = model.training
    model.eval()
    with torch.no_grad(), cached(model):
        for chosen in torch.arange(count).split(EVALUATION_BATCH):
            batch, labels = images.batch(part, group.share(chosen), group.device, dtype)
            if not len(batch):
                continue
            loss, quality = task_score(model, batch, labels)
            sums += torch.tensor([float(loss), float(quality), _active(model, batch) * len(batch)], device=group.device)
    model.train(was_training)
    loss, quality, active = (group.total(sums) / count).tolist()
    return (
        {"error": quality, "active": active} if isinstance(model, Autoencoder) else {"accuracy": quality, "loss": loss}
    )


def _active(model: nn.Module, batch: Tensor) -> float:
    if not isinstance(model, Autoencoder):
        return 0.0
    return float((model.encoder(batch) != 0).double().mean())


def _epoch_line(
    config: Config, group: Processes, images: Images, model: nn.Module, state: _State, dtype: torch.dtype
) -> dict[str, Any]:
    """One line of metrics.jsonl; the penalty is apart from the loss, and validation null where nothing is held out."""
    name = "error" if isinstance(model, Autoencoder) else "accuracy"
    loss, quality, penalty, seen = group.total(
        torch.tensor(state.sums, dtype=torch.float64, device=group.device)
    ).tolist()
    held_out = evaluate(model, images, "validation", dtype, group)[name] if config.validation else None
    test = evaluate(model, images, "test", dtype, group)
    line = {
        "epoch": state.epoch + 1,
        "train_loss": loss / seen,
        "penalty": penalty / (state.batch * group.count),
        f"train_{name}": quality / seen,
        f"validation_{name}": held_out,
        f"test_{name}": test[name],
    }
    return line | ({"test_active": test["active"]} if name == "error" else {})


def _keep_best(run: Run, group: Processes, model: nn.Module, history: list[dict[str, Any]]) -> None:
    """Keep the weights of the best epoch, by the validation part alone; without one nothing is chosen."""
    name = next(key for key in history[-1] if key.startswith("validation_"))
    if not group.writes or history[-1][name] is None:
        return
    best = (max if name.endswith("accuracy") else min)(row[name] for row in history)
    if history[-1][name] == best:
        run.save_model(model, "best.safetensors")


def _stop_diverged(config: Config, model: nn.Module, epoch: int, loss: float) -> None:
    layers = 1 if config.network.tied else config.network.num_layers
    where, size = largest_gradient(model, layers)
    raise Diverged(
        f"the loss is {loss} in epoch {epoch + 1}; the largest gradient, {size:.3g}, is in {where}; "
        f"the last checkpoint is kept; try a smaller learning_rate or clip"
    )


def _tensorboard(config: Config, run: Run) -> Any:
    if not config.tensorboard:
        return None
    from torch.utils.tensorboard import SummaryWriter

    return SummaryWriter(str(run.path / "tensorboard"))
