"""The objective of a training: the loss of the task and the penalty on the generators."""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.nn import Autoencoder, GroupNet
from lgn.penalties import Penalty


class Score(NamedTuple):
    """The score of a batch. Loss and quality are sums over images, so that batches and processes add up."""

    loss: Tensor
    #: The number of correct answers, or the sum of the mean squared errors.
    quality: Tensor
    penalty: Tensor


class Objective(nn.Module):
    """The model and its penalty as one module, whose parameters are everything that is trained."""

    def __init__(self, model: nn.Module, penalty: Penalty | None) -> None:
        super().__init__()
        self.model, self.penalty = model, penalty

    def forward(self, images: Tensor, labels: Tensor | None) -> Score:
        loss, quality = task_score(self.model, images, labels)
        return Score(loss, quality, loss.new_zeros(()) if self.penalty is None else self.penalty())


def task_score(model: nn.Module, images: Tensor, labels: Tensor | None) -> tuple[Tensor, Tensor]:
    """Loss and quality, summed over images.

    For classification they are the cross entropy and the number of correct answers, for reconstruction both are the
    mean squared error per pixel.
    """
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


def largest_gradient(model: nn.Module, layers: int) -> tuple[str, float]:
    """The parameter with the largest gradient, by name and layer: a divergence shows there first."""
    largest, location = -1.0, "no parameter"
    for name, parameter in model.named_parameters():
        if parameter.grad is None:
            continue
        gradient = parameter.grad.detach().abs().flatten(1 if parameter.ndim > 1 else 0)
        sizes = gradient.nan_to_num(nan=torch.inf, posinf=torch.inf).amax(-1, keepdim=parameter.ndim < 2)
        if float(sizes.max()) > largest:
            largest, location = float(sizes.max()), name
            # An unfolded encoder has all layers in one tensor; other networks have the layer in the name.
            if name.startswith(("encoder.bank", "encoder.threshold")) and len(sizes) >= layers:
                location = f"layer {int(sizes.argmax()) // (len(sizes) // layers) + 1} ({name})"
    return location, largest
