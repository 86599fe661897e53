"""`Kronecker`: separate transformations of the axes of the patch."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from lgn.actions import Patch
from lgn.generators.base import Generator
from lgn.measures import relative_error

FACTORS = ("rows", "columns", "slices")  # the factors of the first, second and third axis
ROUNDS = 50


class Kronecker(Generator):
    """`A = B (x) C`, that is `phi_A(X) = C X B^T`: `n^2 + m^2` parameters instead of `(n m)^2`.

    A start is projected exactly: the nearest Kronecker product is the best rank-one approximation of the rearranged
    matrix whose rows are the blocks (Van Loan and Pitsianis). For volumes, `A = D (x) B (x) C` has no such theorem, and
    the factors are improved alternately. For signals, A has one factor and is free.
    """

    name = "kronecker"
    guarantee = "A = B (x) C"
    few_parameters = True
    structures = ("Kronecker",)

    def _project(self, start: Tensor) -> None:
        found = factors(start, self.patch)
        for name, factor in reversed([*zip(FACTORS, found, strict=False)]):
            self.register_parameter(name, nn.Parameter(factor.contiguous()))

    def matrix(self) -> Tensor:
        return product([getattr(self, name) for name in FACTORS[: len(self.patch)]])

    @torch.no_grad()
    def guarantee_error(self) -> Tensor:
        matrix = self.matrix()
        return relative_error(product(factors(matrix, self.patch)), matrix)


def product(parts: Sequence[Tensor]) -> Tensor:
    """The Kronecker product of the factors of the axes, the first axis innermost.  -> (..., d, d)"""
    result = parts[0]
    for part in parts[1:]:
        result = torch.einsum("...ij,...kl->...ikjl", part, result).flatten(-4, -3).flatten(-2)
    return result


def factors(matrix: Tensor, patch: Patch) -> list[Tensor]:
    """The factors of the axes whose product is nearest to the matrix.  (..., d, d) -> (..., n, n) for each axis"""
    if len(patch) == 1:
        return [matrix]
    n, m = patch[0], math.prod(patch[1:])
    blocks = matrix.unflatten(-1, (m, n)).unflatten(-3, (m, n))  # (..., m, n, m, n)
    arranged = blocks.transpose(-3, -2).flatten(-4, -3).flatten(-2)  # (..., m m, n n): rank one for `B (x) C`
    u, s, vh = torch.linalg.svd(arranged, full_matrices=False)
    scale = s[..., :1].sqrt()
    rest, first = u[..., 0] * scale, vh[..., 0, :] * scale
    if len(patch) > 2:  # the rest is a product too, so the two sides are fitted alternately
        for _ in range(ROUNDS):
            rest = product(factors(_square(rest), patch[1:])).flatten(-2)
            first = (arranged.mT @ rest.unsqueeze(-1)).squeeze(-1) / rest.square().sum(-1, keepdim=True)
            rest = (arranged @ first.unsqueeze(-1)).squeeze(-1) / first.square().sum(-1, keepdim=True)
    return [_square(first), *factors(_square(rest), patch[1:])]


def _square(vector: Tensor) -> Tensor:
    return vector.unflatten(-1, (math.isqrt(vector.shape[-1]), -1))
