"""The training loop."""

import math
import time
from typing import NoReturn

import torch
from torch import Tensor, nn
from tqdm import tqdm

from lgn.data import epoch_order
from lgn.data.rotated import randomly_turned
from lgn.files import strict_json, write_atomic
from lgn.generators import parameter_groups
from lgn.nn import GroupNet, project
from lgn.training.checkpoint import State
from lgn.training.config import Config
from lgn.training.evaluation import epoch_line, kept_epoch
from lgn.training.loading import Images
from lgn.training.objective import Objective, largest_gradient
from lgn.training.optimisation import GATES_BEGIN, LONG_EPOCH, generator_rate, learning_rate, set_momentum, with_decay
from lgn.training.processes import Processes
from lgn.training.progress import step_bar, stop_requests, write_epoch
from lgn.training.run import Run


class Interrupted(Exception):
    """The training was stopped by a signal after it wrote a checkpoint."""


class Diverged(RuntimeError):
    """The loss, a gradient, a weight or a measurement is not finite. The last checkpoint is kept."""


class Training:
    """The training of a run, from the start or from its checkpoint, to the last epoch."""

    def __init__(self, config: Config, run: Run, group: Processes, images: Images, objective: Objective) -> None:
        self.config, self.run, self.group, self.images, self.model = config, run, group, images, objective.model
        groups = parameter_groups(objective, 1.0, generator_rate(config))
        groups = with_decay(groups, config.weight_decay, self.model)
        self.parameters = [parameter for group in groups for parameter in group["params"]]
        self.factors = [group["lr"] for group in groups]
        # Without weight decay AdamW is Adam.
        self.optimizer = torch.optim.AdamW(groups, weight_decay=0.0, fused=group.device.type in ("cpu", "cuda"))
        self.state = State(objective, self.optimizer)
        self.objective, self.wrapped = objective, group.wrap(objective)
        self.count = len(images.parts["train"][0])
        self.batches = math.ceil(self.count / config.batch_size)
        # On a GPU, reading the loss waits for the device: the loop reads it in every 50th step only.
        self.check_every = 1 if group.device.type == "cpu" else 50
        self.began = self.saved = time.monotonic()

    def train(self, progress: bool) -> None:
        """Train to the last epoch, and write the weights."""
        if (self.run.path / "checkpoint.pt").is_file():
            self.state.restore(self.run)
        elif self.group.writes:
            self.run.save_initial(self.model)
        epochs, shown = self.config.epochs, progress and self.group.writes
        with stop_requests() as requests, step_bar(epochs * self.batches, self.steps, shown) as bar:
            while self.state.epoch < epochs:
                self._train_epoch(bar, requests)
                line = self._end_epoch()
                if shown:
                    write_epoch(line, epochs)
        if self.group.writes:
            self.run.save_model(self.model)

    @property
    def steps(self) -> int:
        """The number of steps that were taken."""
        return self.state.epoch * self.batches + self.state.batch

    def _train_epoch(self, bar: "tqdm[NoReturn]", requests: list[int]) -> None:
        """Take the remaining steps of an epoch."""
        config, state, group = self.config, self.state, self.group
        self.objective.train()
        order = epoch_order(self.count, config.seed, state.epoch)
        failed = torch.zeros((), dtype=torch.bool, device=group.device)
        while state.batch < self.batches:
            indices = order[state.batch * config.batch_size : (state.batch + 1) * config.batch_size]
            check = (self.steps + 1) % self.check_every == 0
            failed = self._step(indices, failed, check)
            bar.update()
            # A checkpoint is replaced by a finite state only. All processes stop together.
            due = time.monotonic() - self.saved > config.checkpoint_seconds
            if group.writes and due and state.not_finite() is None:
                self._save()
            if check and group.any(bool(requests)):
                self._require_finite(state.not_finite())
                if group.writes:
                    self._save()
                raise Interrupted(f"stopped in epoch {state.epoch + 1}")

    def _step(self, indices: Tensor, failed: Tensor, check: bool) -> Tensor:
        """Take a step. The result says whether the loss or the gradient of this epoch was not finite."""
        config, state, group = self.config, self.state, self.group
        done = self.steps / (config.epochs * self.batches)
        rate = learning_rate(config, done)
        for parameter_group, factor in zip(self.optimizer.param_groups, self.factors, strict=True):
            parameter_group["lr"] = rate * factor
        if self.batches < LONG_EPOCH:
            set_momentum(self.model, self.steps)
        part = group.part(indices)
        batch, labels = self.images.batch("train", part, group.device)
        score = self.wrapped(randomly_turned(batch) if config.augment == "turns" else batch, labels)
        # DDP averages gradients over processes. With this factor they are the gradients of the mean over all images.
        loss = score.loss * (group.count / len(indices)) + score.penalty
        self.optimizer.zero_grad()
        loss.backward()
        if isinstance(self.model, GroupNet) and self.model.gates is not None and done < GATES_BEGIN:
            self.model.gates.logits.grad = None
        norm = nn.utils.get_total_norm([p.grad for p in self.parameters if p.grad is not None])
        failed = failed | ~(loss.detach().isfinite() & norm.isfinite())
        if check and group.any(bool(failed)):  # before the step, which would destroy the weights
            location, largest = largest_gradient(self.model, config.network.num_layers)
            loss_text = f"the loss is {float(loss.detach())} in epoch {state.epoch + 1}"
            raise self._diverged(f"{loss_text}; the largest gradient, {largest:.3g}, is in {location}")
        if config.clip is not None:
            nn.utils.clip_grads_with_norm_(self.parameters, config.clip, norm)
        self.optimizer.step()
        if config.network.norm is not None:
            project(self.model)
        state.add(score, len(part))
        return failed

    def _end_epoch(self) -> dict[str, object]:
        """Measure, and write the metrics and the checkpoint of an epoch."""
        state, group = self.state, self.group
        self._require_finite(state.not_finite())
        line, not_finite = epoch_line(self.config, group, self.images, state)
        self._require_finite(not_finite)
        line["seconds"] = round(state.seconds + time.monotonic() - self.began, 3)
        state.history.append(line)
        if group.writes and self.config.validation and kept_epoch(state.history) is line:
            self.run.save_model(self.model, "best.safetensors")
        state.epoch, state.batch = state.epoch + 1, 0
        state.sums.zero_()
        if group.writes:
            metrics = self.run.path / "metrics.jsonl"
            write_atomic(metrics, "".join(strict_json(row, metrics) + "\n" for row in state.history).encode())
            self._save()
        return line

    def _save(self) -> None:
        self.state.save(self.run, time.monotonic() - self.began)
        self.saved = time.monotonic()

    def _require_finite(self, name: str | None) -> None:
        """End the training in all processes if a tensor or a measurement is not finite in one of them."""
        if self.group.any(name is not None):
            what = f"{name or 'a tensor of another process'} is not finite"
            raise self._diverged(f"{what} after step {self.state.batch} of epoch {self.state.epoch + 1}")

    def _diverged(self, what: str) -> Diverged:
        is_kept, clip = (self.run.path / "checkpoint.pt").is_file(), self.config.clip
        kept = "the last checkpoint is kept" if is_kept else "no checkpoint was written yet"
        advice = "set clip, for example to 2" if clip is None else f"set clip below {clip:g}"
        return Diverged(f"{what}; {kept}; set learning_rate below {self.config.learning_rate:g}, or {advice}")
