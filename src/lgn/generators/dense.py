"""`Dense`: a free matrix, as in the paper."""

import torch
from torch import Tensor, nn

from lgn.actions import Patch
from lgn.generators.base import Generator
from lgn.groups import Group


class Dense(Generator):
    """A free matrix (sec. 4). It guarantees nothing; penalties can encourage properties.

    With `norm`, the start and, by `project_()`, the matrices after each step of an optimiser are scaled to that
    Frobenius norm. Without it, every start is kept exactly.
    """

    name = "dense"
    guarantee = "A free"
    option_names = ("norm",)

    def __init__(self, start: Tensor, patch: Patch, group: Group | str | int = 4, *, norm: float | None = None) -> None:
        if norm is not None and norm <= 0:
            raise ValueError(f"norm must be positive, got {norm}")
        self.norm = norm  # first, because the base class projects the start
        super().__init__(start, patch, group)

    def _project(self, start: Tensor) -> None:
        if self.norm is not None and not start.flatten(-2).any(-1).all():
            raise ValueError("start must not be zero with a norm, got a matrix of zeros")
        self.weight = nn.Parameter(start.clone())
        self.project_()

    def matrix(self) -> Tensor:
        return self.weight

    @torch.no_grad()
    def guarantee_error(self) -> Tensor:
        if self.norm is None:
            return self.weight.new_zeros(self.weight.shape[:2])
        return (torch.linalg.matrix_norm(self.weight) - self.norm).abs() / self.norm

    @torch.no_grad()
    def project_(self) -> None:
        if self.norm is not None:
            self.weight.mul_(self.norm / torch.linalg.matrix_norm(self.weight, keepdim=True))

    def extra_repr(self) -> str:
        return super().extra_repr() + (f", ||A||_F = {self.norm:g}" if self.norm is not None else "")
