"""`LowRank`: the identity and a few directions that change."""

import math

import torch
from torch import Tensor, nn

from lgn.actions import Patch, written
from lgn.generators.base import Generator
from lgn.groups import Group


class LowRank(Generator):
    """`A = I + U V^T` with `rank` columns, 4 unless given (or d where that is less): `2 r d` numbers.

    A start is projected exactly, by the truncated singular value decomposition of `A - I`. The singular values go
    into U alone, so that the identity itself (U = 0) still has a gradient.
    """

    name = "low-rank"
    law = "A = I + U V^T"
    option_names = ("rank",)
    rank: int

    def __init__(self, start: Tensor, patch: Patch, group: Group | int = 4, *, rank: int | None = None) -> None:
        d = math.prod(patch)
        rank = min(4, d) if rank is None else rank
        if not 1 <= rank <= d:
            raise ValueError(f"rank must be from 1 to {d} for a kernel of {written(patch)}, got {rank}")
        self.__dict__["rank"] = rank  # set before nn.Module's own __init__: the start is projected there
        super().__init__(start, patch, group)

    def _start_from(self, start: Tensor) -> None:
        u, s, vh = torch.linalg.svd(start - torch.eye(start.shape[-1]).to(start))
        self.u = nn.Parameter((u[..., : self.rank] * s[..., None, : self.rank]).contiguous())
        self.v = nn.Parameter(vh[..., : self.rank, :].mT.contiguous())

    def matrix(self) -> Tensor:
        return torch.eye(self.u.shape[-2]).to(self.u) + self.u @ self.v.mT

    @torch.no_grad()
    def law_error(self) -> Tensor:
        matrix = self.matrix()
        singular = torch.linalg.svdvals(matrix - torch.eye(matrix.shape[-1]).to(matrix))
        return singular[..., self.rank :].norm(dim=-1) / singular.norm(dim=-1).clamp_min(1e-12)

    def extra_repr(self) -> str:
        return super().extra_repr() + f", rank {self.rank}"
