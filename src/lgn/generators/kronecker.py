"""`Kronecker`: rows and columns of the patch transformed apart."""

import torch
from torch import Tensor, nn

from lgn.generators.base import Generator
from lgn.measures import relative_error


class Kronecker(Generator):
    """`A = B (x) C`, that is `phi_A(X) = C X B^T`: `n^2 + m^2` numbers instead of `(n m)^2`.

    A start is projected exactly: the nearest Kronecker product is the best rank-one approximation of the rearranged
    matrix, whose rows are the blocks (Van Loan and Pitsianis).
    """

    name = "kronecker"
    decided_by_few = True
    law = "A = B (x) C"
    structures = ("Kronecker",)

    def _start_from(self, start: Tensor) -> None:
        u, s, vh = torch.linalg.svd(rearrange(start, self.patch), full_matrices=False)
        n, m = self.patch
        scale = s[..., :1].sqrt()
        self.columns = nn.Parameter((u[..., 0] * scale).unflatten(-1, (m, m)).contiguous())  # B
        self.rows = nn.Parameter((vh[..., 0, :] * scale).unflatten(-1, (n, n)).contiguous())  # C

    def matrix(self) -> Tensor:
        product = torch.einsum("...ij,...kl->...ikjl", self.columns, self.rows)
        return product.flatten(-4, -3).flatten(-2)

    @torch.no_grad()
    def law_error(self) -> Tensor:
        arranged = rearrange(self.matrix(), self.patch)
        u, s, vh = torch.linalg.svd(arranged, full_matrices=False)
        return relative_error(u[..., :1] * s[..., None, :1] @ vh[..., :1, :], arranged)


def rearrange(matrix: Tensor, patch: tuple[int, int]) -> Tensor:
    """The blocks of a matrix as rows: rank one if and only if it is `B (x) C`.  (..., d, d) -> (..., m*m, n*n)"""
    n, m = patch
    blocks = matrix.unflatten(-1, (m, n)).unflatten(-3, (m, n))  # (..., m, n, m, n)
    return blocks.transpose(-3, -2).flatten(-4, -3).flatten(-2)
