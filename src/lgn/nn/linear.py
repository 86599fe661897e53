"""`GroupLinear`: the linear layer of torch with rows that are orbits."""

from typing import Any

from torch import Tensor, nn
from torch.nn import functional as F

from lgn.nn.bank import OrbitBank
from lgn.nn.layers import Bias, GroupLayer


class GroupLinear(GroupLayer):
    """A linear layer whose rows are orbits; the generator acts on the `in_features` inputs.

    A dense generator has `in_features^2` entries, so use another family for many inputs.

    options: `group`, `generator`, `share`, `start`, `device` and `dtype`, as in `GroupConv2d`.

    Shapes: (..., in_features) -> (..., num_sets * order)
    """

    plain = nn.Linear

    def __init__(self, in_features: int, num_sets: int, bias: Bias = "set", **options: Any) -> None:
        super().__init__(OrbitBank(1, num_sets, (in_features, 1), **options), bias)
        self.in_features, self.out_features = in_features, num_sets * self.order

    def filters(self) -> Tensor:
        """The rows, set-major.  (sets * order, in_features)"""
        return self.bank().flatten(1)

    def forward(self, x: Tensor) -> Tensor:
        return F.linear(x, self._filters_for(x).flatten(1), self._bias_per_filter())
