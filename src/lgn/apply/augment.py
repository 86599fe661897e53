"""Augmentation by random elements of a group."""

import torch
from torch import Tensor, nn

from lgn.apply.action import Action


class Augmentation(nn.Module):
    """Apply a random element of the group to every sample, and its permutation of classes to the label.

    In evaluation mode, nothing changes. The random numbers come from a generator of the module.

    Shapes: (N, ...) -> (N, ...), or (N, ...), (N,) -> (N, ...), (N,)
    """

    def __init__(self, action: Action, *, seed: int = 0) -> None:
        super().__init__()
        self.action = action
        self.random = torch.Generator().manual_seed(seed)

    def forward(self, samples: Tensor, labels: Tensor | None = None) -> Tensor | tuple[Tensor, Tensor]:
        if labels is None and self.action.classes is not None:
            raise ValueError("labels must be given, because the group moves classes, got none")
        if self.training:
            order = self.action.group.order
            elements = torch.randint(order, (len(samples),), generator=self.random).to(samples.device)
            moved = torch.empty_like(samples)
            for element in range(order):
                moved[elements == element] = self.action.elements[element](samples[elements == element])
            samples = moved
            if labels is not None and self.action.classes is not None:
                labels = self.action.classes.to(labels.device)[elements, labels]
        return samples if labels is None else (samples, labels)
