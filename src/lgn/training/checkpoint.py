"""What a checkpoint holds, and how it is written."""

import io
from typing import Any

import torch

from lgn.files import write_atomic
from lgn.training.objective import Objective
from lgn.training.run import Run


class State:
    """All that training needs to go on: networks, optimiser, random numbers, place in the epoch, sums and history."""

    def __init__(self, objective: Objective, optimizer: torch.optim.Optimizer) -> None:
        self.objective, self.optimizer = objective, optimizer
        self.epoch, self.batch, self.seconds = 0, 0, 0.0
        self.sums = [0.0, 0.0, 0.0, 0.0]  # loss, quality, penalty, images of this epoch
        self.history: list[dict[str, Any]] = []

    def add(self, loss: float, quality: float, penalty: float, images: int) -> None:
        """Count a step that was made."""
        self.batch += 1
        self.sums = [a + b for a, b in zip(self.sums, (loss, quality, penalty, float(images)), strict=True)]

    def means(self, task: str) -> dict[str, float]:
        """The epoch so far, for the progress bar."""
        loss, quality, penalty, images = self.sums
        name = "accuracy" if task == "classify" else "error"
        return {"loss": loss / max(images, 1), name: quality / max(images, 1), "penalty": penalty / max(self.batch, 1)}

    def next_epoch(self) -> None:
        self.epoch, self.batch, self.sums = self.epoch + 1, 0, [0.0, 0.0, 0.0, 0.0]

    @torch.no_grad()
    def spoilt(self) -> str | None:
        """The name of a tensor with infinities or NaN, of the networks or the optimiser; None where all are finite."""
        tensors = dict(self.objective.named_parameters()) | dict(self.objective.named_buffers())
        for name, parameter in self.objective.named_parameters():
            moments = self.optimizer.state.get(parameter, {})
            tensors |= {f"{key} of {name}": value for key, value in moments.items() if isinstance(value, torch.Tensor)}
        spoilt = (name.replace("model.", "") for name, value in tensors.items() if not value.isfinite().all())
        return next(spoilt, None)

    def to_dict(self, seconds: float) -> dict[str, Any]:
        """Tensors, numbers and text alone: what `weights_only` reads."""
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

    def restore(self, run: Run) -> None:
        """Go on where the run's checkpoint was written."""
        stored = run.checkpoint()
        with run.reading("checkpoint.pt", "a checkpoint of this run"):
            self._restore(stored)

    def _restore(self, stored: dict[str, Any]) -> None:
        self.objective.model.load_state_dict(stored["model"])
        if self.objective.penalty is not None:
            self.objective.penalty.load_state_dict(stored["penalty"])
        self.optimizer.load_state_dict(stored["optimizer"])
        torch.set_rng_state(stored["random"])
        self.epoch, self.batch = map(int, stored["place"])
        self.sums, self.history, self.seconds = [*map(float, stored["sums"])], [*stored["history"]], stored["seconds"]


def save_checkpoint(run: Run, state: State, seconds: float) -> None:
    """Write the state, `seconds` after this process began, whole or not at all."""
    buffer = io.BytesIO()
    torch.save(state.to_dict(seconds), buffer)
    write_atomic(run.path / "checkpoint.pt", buffer.getvalue())
