"""Modules that apply the elements of a group: one at random, or all."""

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


class Symmetrised(nn.Module):
    """The mean of `P_g^-1 model(g x)` over the group, where P_g permutes the classes: an exactly equivariant model.

    Shapes: (N, ...) -> (N, classes)
    """

    def __init__(self, model: nn.Module, action: Action) -> None:
        super().__init__()
        self.model, self.action = model, action

    def forward(self, samples: Tensor) -> Tensor:
        total = torch.zeros(())
        for element in range(self.action.group.order):
            outputs = self.model(self.action.elements[element](samples))
            if self.action.classes is not None:
                outputs = outputs[:, self.action.classes[element].to(outputs.device)]
            total = total + outputs
        return total / self.action.group.order

    def extra_repr(self) -> str:
        return f"group={self.action.group.name}"
