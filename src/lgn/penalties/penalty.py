"""`Penalty`, the interface of all penalties, and `MatrixPenalty`, a sum over single matrices."""

from abc import ABC, abstractmethod
from typing import ClassVar

import torch
from torch import Tensor, nn

from lgn.generators import generators_of, matrices_by_size


class Penalty(nn.Module, ABC):
    """`weight * value`, where the value is a function of the trained generators of a model."""

    default_weight: ClassVar[float] = 1e-3

    def __init__(self, model: nn.Module, weight: float | None = None) -> None:
        super().__init__()
        weight = self.default_weight if weight is None else weight
        if weight < 0:
            raise ValueError(f"weight must be at least 0, got {weight}")
        # A tuple, not a ModuleList: the generators belong to the model, not to the penalty.
        self.generators = tuple(g for g in generators_of(model).values() if any(True for _ in g.parameters()))
        if not self.generators:
            raise ValueError(f"model must have a trained generator, got {type(model).__name__} without one")
        self.weight = weight

    @abstractmethod
    def value(self) -> Tensor:
        """The penalty without its weight.  -> ()"""

    def forward(self) -> Tensor:
        return self.weight * self.value()

    def extra_repr(self) -> str:
        return f"weight={self.weight:g}"


class MatrixPenalty(Penalty):
    """A sum of a score over all matrices, in one batch for all generators of one size and order."""

    @abstractmethod
    def score(self, matrix: Tensor, order: int) -> Tensor:
        """The sum of the score over a batch of matrices of one size and order.  (count, d, d) -> ()"""

    def value(self) -> Tensor:
        batches = matrices_by_size(self.generators)
        return torch.stack([self.score(matrix, order) for (_, order), matrix in batches.items()]).sum()
