"""The loop: one readable function that trains a network and leaves its run directory."""

import math
import time
from contextlib import closing, nullcontext

import torch
from torch import nn

from lgn.data import epoch_order
from lgn.data.rotated import randomly_turned
from lgn.discovery.filters.rates import parameter_groups
from lgn.files import strict_json, write_atomic
from lgn.nn import project
from lgn.training.build import build_model, build_penalty, decayed, generator_rate, hold_gates, learning_rate
from lgn.training.checkpoint import State, save_checkpoint
from lgn.training.config import Config
from lgn.training.evaluation import epoch_line, keep_best
from lgn.training.kernel import kernel_of
from lgn.training.lock import locked
from lgn.training.objective import Diverged, Objective, largest_gradient
from lgn.training.prepared import Images
from lgn.training.processes import Processes
from lgn.training.progress import Progress, interruptible
from lgn.training.run import Run
from lgn.training.statistics import SETTLED, settle_statistics


class Interrupted(Exception):
    """The training was asked to stop, and wrote a checkpoint."""


def train_run(
    config: Config,
    run: Run,
    group: Processes,
    images: Images,
    *,
    progress: bool = True,
) -> Run:
    """Train one run, or continue it where it stopped; one that has finished is returned as it is."""
    # What can be wrong with a config shows while the network is made, before there is a directory.
    torch.manual_seed(config.seed)
    model = network_of(config, images)
    objective = Objective(model, build_penalty(config, model))
    with locked(run.path) if group.writes else nullcontext():
        if group.writes:
            kernel = None if run.finished else kernel_of(model, group, images, progress)
            run.create(config, images.facts, kernel)
        if not run.finished:
            _train(config, run, group, images, objective.to(group.device), progress and group.writes)
    group.wait()  # until its files are there
    return run


def network_of(config: Config, images: Images) -> nn.Module:
    """The network of a config for its images."""
    facts = images.facts
    return build_model(config, tuple(facts["image_shape"]), len(facts["class_names"]), facts["task"])


def _train(
    config: Config,
    run: Run,
    group: Processes,
    images: Images,
    objective: Objective,
    progress: bool,
) -> None:
    model = objective.model
    groups = decayed(parameter_groups(objective, 1.0, generator_rate(config)), config.weight_decay, model)
    parameters, factors = [each for some in groups for each in some["params"]], [some["lr"] for some in groups]
    # Without decay AdamW is Adam.
    optimizer = torch.optim.AdamW(groups, weight_decay=0.0, fused=group.device.type in ("cpu", "cuda"))
    state = State(objective, optimizer)
    if (run.path / "checkpoint.pt").is_file():
        state.restore(run)
    elif group.writes:
        run.save_initial(model)

    count = len(images.parts["train"][0])
    batches = math.ceil(count / config.batch_size)
    wrapped = group.wrap(objective)
    bar = Progress(config.epochs * batches, state.epoch * batches + state.batch, progress)
    began = saved = time.monotonic()
    with interruptible() as asked, closing(bar):
        while state.epoch < config.epochs:
            objective.train()
            order = epoch_order(count, config.seed, state.epoch)
            while state.batch < batches:
                chosen = order[state.batch * config.batch_size : (state.batch + 1) * config.batch_size]
                done = (state.epoch * batches + state.batch) / (config.epochs * batches)
                rate = learning_rate(config, done)
                for parameter_group, factor in zip(optimizer.param_groups, factors, strict=True):
                    parameter_group["lr"] = rate * factor
                if batches < SETTLED:
                    settle_statistics(model)
                batch, labels = images.batch("train", group.part(chosen), group.device)
                score = wrapped(randomly_turned(batch) if config.augment == "turns" else batch, labels)
                # DDP averages gradients: times the processes, over the global batch, is the mean over its images.
                loss = score.loss * (group.count / len(chosen)) + score.penalty
                optimizer.zero_grad()
                loss.backward()
                hold_gates(model, done)
                size = nn.utils.get_total_norm([p.grad for p in parameters if p.grad is not None])
                # A step along an infinite gradient would spoil the weights.
                if group.any(not (math.isfinite(loss.item()) and math.isfinite(size.item()))):
                    where, largest = largest_gradient(model, config.network.num_layers)
                    what = f"the loss is {loss.item()} in epoch {state.epoch + 1}"
                    raise _diverged(f"{what}; the largest gradient, {largest:.3g}, is in {where}", config, run)
                if config.clip is not None:
                    nn.utils.clip_grads_with_norm_(parameters, config.clip, size)
                optimizer.step()
                if config.network.norm is not None:
                    project(model)
                state.add(score.loss.item(), score.quality.item(), score.penalty.item(), len(group.part(chosen)))
                bar.step(state.epoch + 1, config.epochs, state.means(images.facts["task"]))
                # What a step has spoilt never replaces a good checkpoint; all processes stop when they next meet.
                if group.writes and time.monotonic() - saved > config.checkpoint_seconds and state.spoilt() is None:
                    save_checkpoint(run, state, time.monotonic() - began)
                    saved = time.monotonic()
                if group.any(bool(asked)):
                    _require_finite(state.spoilt(), state, config, run, group)
                    if group.writes:
                        save_checkpoint(run, state, time.monotonic() - began)
                    raise Interrupted(f"stopped in epoch {state.epoch + 1}")
            _require_finite(state.spoilt(), state, config, run, group)
            line, not_finite = epoch_line(config, group, images, model, state)
            _require_finite(not_finite, state, config, run, group)
            line["seconds"] = round(state.seconds + time.monotonic() - began, 3)
            state.history.append(line)
            keep_best(run, group, model, config, state.history)
            state.next_epoch()
            if group.writes:
                metrics = run.path / "metrics.jsonl"
                write_atomic(metrics, "".join(strict_json(row, metrics) + "\n" for row in state.history).encode())
                save_checkpoint(run, state, time.monotonic() - began)
                saved = time.monotonic()
            bar.epoch(line, config.epochs)
    if group.writes:
        run.save_model(model)


def _diverged(what: str, config: Config, run: Run) -> Diverged:
    kept = "the last checkpoint is kept" if (run.path / "checkpoint.pt").is_file() else "no checkpoint was written yet"
    clip = "a clip, such as 2" if config.clip is None else f"a clip below {config.clip:g}"
    return Diverged(f"{what}; {kept}; try a learning_rate below {config.learning_rate:g}, or {clip}")


def _require_finite(name: str | None, state: State, config: Config, run: Run, group: Processes) -> None:
    """End a training of which something is not finite, in all processes together."""
    if group.any(name is not None):
        what = f"{name or 'a tensor of another process'} is not finite"
        raise _diverged(f"{what} after step {state.batch} of epoch {state.epoch + 1}", config, run)
