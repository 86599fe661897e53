"""A model averaged over a group."""

import torch
from torch import Tensor, nn

from lgn.apply.action import Action


class Symmetrised(nn.Module):
    """The mean of `P_g^-1 model(g x)` over the group, where P_g moves the classes: exactly equivariant.

    Shapes: (N, ...) -> (N, classes)
    """

    def __init__(self, model: nn.Module, action: Action) -> None:
        super().__init__()
        self.model, self.action = model, action

    def forward(self, samples: Tensor) -> Tensor:
        total: Tensor | None = None
        for element in range(self.action.group.order):
            outputs = self.model(self.action(element, samples))
            if self.action.permutes_classes:
                outputs = outputs[:, self.action.classes(outputs.shape[1])[element].to(outputs.device)]
            total = outputs if total is None else total + outputs
        assert total is not None
        return total / self.action.group.order

    def extra_repr(self) -> str:
        return f"group={self.action.group.name}"


def preserving_classes(action: Action) -> Action:
    """The action of the elements that leave every class as it is."""
    if not action.permutes_classes:
        return action
    count = max(map(len, action.permutations))
    classes = action.classes(count)
    fixed = (classes == torch.arange(count)).all(1).nonzero().flatten().tolist()
    return action.subgroup(fixed)
