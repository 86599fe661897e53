"""A model averaged over a group."""

from torch import Tensor, nn

from lgn.apply.action import Action


class Symmetrised(nn.Module):
    """The mean of `P_g^-1 model(g x)` over the group, where P_g permutes the classes: an exactly equivariant model.

    Shapes: (N, ...) -> (N, classes)
    """

    def __init__(self, model: nn.Module, action: Action) -> None:
        super().__init__()
        self.model, self.action = model, action

    def forward(self, samples: Tensor) -> Tensor:
        total: Tensor | None = None
        for element in range(self.action.group.order):
            outputs = self.model(self.action.elements[element](samples))
            if self.action.classes is not None:
                outputs = outputs[:, self.action.classes[element].to(outputs.device)]
            total = outputs if total is None else total + outputs
        assert total is not None
        return total / self.action.group.order

    def extra_repr(self) -> str:
        return f"group={self.action.group.name}"
