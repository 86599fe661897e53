"""The state of a training, and its checkpoint."""

import io
from typing import Any

import torch
from torch import Tensor

from lgn.files import write_atomic
from lgn.training.objective import Objective, Score
from lgn.training.run import Run


class State:
    """Everything that a training needs to continue: networks, optimiser, position, sums of the epoch and history."""

    def __init__(self, objective: Objective, optimizer: torch.optim.Optimizer) -> None:
        self.objective, self.optimizer = objective, optimizer
        self.epoch, self.batch, self.seconds = 0, 0, 0.0
        self.history: list[dict[str, Any]] = []
        device = next(objective.parameters()).device
        # Apple MPS has no float64.
        dtype = torch.float32 if device.type == "mps" else torch.float64
        #: Sums over this epoch: loss, quality, penalty, number of images.
        self.sums = torch.zeros(4, dtype=dtype, device=device)

    @torch.no_grad()
    def add(self, score: Score, images: int) -> None:
        """Add the score of a step. Nothing is copied from the device."""
        self.batch += 1
        count = torch.full_like(score.loss, images)
        self.sums += torch.stack([score.loss, score.quality, score.penalty, count]).to(self.sums)

    @torch.no_grad()
    def not_finite(self) -> str | None:
        """The name of a tensor of the networks or the optimiser with infinities or NaN; None if all are finite."""
        tensors = dict(self.objective.named_parameters()) | dict(self.objective.named_buffers())
        for name, parameter in self.objective.named_parameters():
            moments = self.optimizer.state.get(parameter, {})
            tensors |= {f"{key} of {name}": value for key, value in moments.items() if isinstance(value, Tensor)}
        names = (name.replace("model.", "") for name, value in tensors.items() if not value.isfinite().all())
        return next(names, None)

    def save(self, run: Run, seconds: float) -> None:
        """Write the checkpoint of a run; `seconds` have passed since this process began to train."""
        penalty = self.objective.penalty
        stored = {
            "model": self.objective.model.state_dict(),
            "penalty": {} if penalty is None else penalty.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "random": torch.get_rng_state(),
            "place": [self.epoch, self.batch],
            "sums": self.sums.tolist(),
            "history": self.history,
            "seconds": self.seconds + seconds,
        }
        buffer = io.BytesIO()
        torch.save(stored, buffer)
        write_atomic(run.path / "checkpoint.pt", buffer.getvalue())

    def restore(self, run: Run) -> None:
        """Continue from the checkpoint of a run."""
        stored = run.checkpoint()
        with run.reading("checkpoint.pt", "a checkpoint of this run"):
            self.objective.model.load_state_dict(stored["model"])
            if self.objective.penalty is not None:
                self.objective.penalty.load_state_dict(stored["penalty"])
            self.optimizer.load_state_dict(stored["optimizer"])
            torch.set_rng_state(stored["random"])
            self.epoch, self.batch = map(int, stored["place"])
            self.sums.copy_(torch.tensor(stored["sums"], dtype=self.sums.dtype))
            self.history, self.seconds = [*stored["history"]], float(stored["seconds"])
