"""`LowRank`: the identity plus a matrix of low rank."""

import math

import torch
from torch import Tensor, nn

from lgn.actions import Patch, size_text
from lgn.generators.base import Generator
from lgn.groups import Group
from lgn.linalg import identity_like


class LowRank(Generator):
    """`A = I + U V^T` with `rank` columns, by default min(4, d): `2 r d` parameters.

    A start is projected exactly, by the truncated singular value decomposition of `A - I`. The singular values are part
    of U only, so that the gradient at the identity (U = 0) is not zero.
    """

    name = "low-rank"
    guarantee = "A = I + U V^T"
    option_names = ("rank",)

    def __init__(self, start: Tensor, patch: Patch, group: Group | str | int = 4, *, rank: int | None = None) -> None:
        d = math.prod(patch)
        self.rank = min(4, d) if rank is None else rank  # first, because the base class projects the start
        if not 1 <= self.rank <= d:
            raise ValueError(f"rank must be from 1 to {d} for a kernel of {size_text(patch)}, got {rank}")
        super().__init__(start, patch, group)

    def _project(self, start: Tensor) -> None:
        u, s, vh = torch.linalg.svd(start - identity_like(start))
        self.u = nn.Parameter((u[..., : self.rank] * s[..., None, : self.rank]).contiguous())
        self.v = nn.Parameter(vh[..., : self.rank, :].mT.contiguous())

    def matrix(self) -> Tensor:
        return torch.eye(self.u.shape[-2], dtype=self.u.dtype, device=self.u.device) + self.u @ self.v.mT

    @torch.no_grad()
    def guarantee_error(self) -> Tensor:
        matrix = self.matrix()
        singular = torch.linalg.svdvals(matrix - identity_like(matrix))
        return singular[..., self.rank :].norm(dim=-1) / singular.norm(dim=-1).clamp_min(1e-12)

    def extra_repr(self) -> str:
        return super().extra_repr() + f", rank {self.rank}"
