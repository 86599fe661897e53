"""What is minimised, and what is measured: the task's loss and the penalty."""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.nn import Autoencoder, GroupNet
from lgn.penalties import Penalty


class Score(NamedTuple):
    """Sums over images, so that batches and processes add up: loss, correct answers (or squared error), count."""

    loss: Tensor
    quality: Tensor  # correct answers, or the mean squared error of each image, summed
    penalty: Tensor


class Objective(nn.Module):
    """The model and its penalty as one module, which is what DDP wraps: its parameters are all that is trained."""

    def __init__(self, model: nn.Module, penalty: Penalty | None) -> None:
        super().__init__()
        self.model, self.penalty = model, penalty

    def forward(self, images: Tensor, labels: Tensor | None) -> Score:
        loss, quality = task_score(self.model, images, labels)
        return Score(loss, quality, loss.new_zeros(()) if self.penalty is None else self.penalty())


def task_score(model: nn.Module, images: Tensor, labels: Tensor | None) -> tuple[Tensor, Tensor]:
    """Loss and quality, summed over images: cross entropy and correct answers, or squared error per pixel twice."""
    if isinstance(model, GroupNet) and model.gates is not None and model.training and labels is not None:
        loss, output = model.gated_loss(images, labels)
        return loss, (output.argmax(1) == labels).sum().to(output.dtype)
    output = model(images)
    if isinstance(model, Autoencoder):
        error = (output - images).square().flatten(1).mean(1).sum()
        return error, error.detach()
    assert labels is not None
    correct = (output.detach().argmax(1) == labels).sum().to(output.dtype)
    return F.cross_entropy(output, labels, reduction="sum"), correct


class Diverged(RuntimeError):
    """Training met a loss that is not a finite number; the last checkpoint is kept."""


def largest_gradient(model: nn.Module, layers: int) -> tuple[str, float]:
    """The parameter with the largest gradient, by name and layer: where a divergence shows first."""
    worst, where = -1.0, "no parameter"
    for name, parameter in model.named_parameters():
        if parameter.grad is None:
            continue
        gradient = parameter.grad.detach().abs().flatten(1 if parameter.ndim > 1 else 0)
        sizes = gradient.nan_to_num(nan=torch.inf, posinf=torch.inf).amax(-1, keepdim=parameter.ndim < 2)
        if float(sizes.max()) > worst:
            worst, where = float(sizes.max()), name
            # An unfolded encoder has all layers in one tensor; elsewhere the name says which layer it is.
            if name.startswith(("encoder.bank", "encoder.threshold")) and len(sizes) >= layers:
                where = f"layer {int(sizes.argmax()) // (len(sizes) // layers) + 1} ({name})"
    return where, worst
