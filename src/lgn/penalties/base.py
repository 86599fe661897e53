"""The contract that every penalty keeps."""

from typing import ClassVar

import torch
from torch import Tensor, nn

from lgn.generators import generators_of, matrices_by_size


class Penalty(nn.Module):
    """`weight * sum over generators of score(A)`, for the generators of a model that are trained."""

    usual_weight: ClassVar[float] = 1e-3

    def __init__(self, model: nn.Module, weight: float | None = None) -> None:
        super().__init__()
        weight = self.usual_weight if weight is None else weight
        if weight < 0:
            raise ValueError(f"weight must not be negative, got {weight}")
        # A tuple, not a ModuleList: the generators belong to the model, not to the penalty.
        self.generators = tuple(g for g in generators_of(model).values() if any(True for _ in g.parameters()))
        if not self.generators:
            raise ValueError(f"model must have a generator that is trained, got {type(model).__name__} with none")
        self.weight = weight

    def forward(self) -> Tensor:
        batches = matrices_by_size(self.generators)
        scores = [self.score(matrix, order) for (_, order), matrix in batches.items()]
        return self.weight * torch.stack(scores).sum()

    def score(self, matrix: Tensor, order: int) -> Tensor:
        """The sum of the score over a batch of matrices of one size and order.  (count, d, d) -> ()"""
        raise NotImplementedError(f"{type(self).__name__} scores matrices together, not one by one: call it")

    def extra_repr(self) -> str:
        return f"weight={self.weight:g}"
