import math
from typing import Any

import torch
from generators.contract import FamilyContract, random_matrix
from torch import Tensor

from lgn.generators import DoublyStochastic


class TestDoublyStochastic(FamilyContract):
    family: Any = DoublyStochastic
    guarantee = "A >= 0, A 1 = A^T 1 = 1"

    def member(self, patch: tuple[int, ...], order: int = 4) -> Tensor:
        """A mixture of permutations, with zeros where d is large."""
        d = math.prod(patch)
        weights = torch.rand(4, dtype=torch.float64)
        permutations = torch.stack([torch.eye(d, dtype=torch.float64)[torch.randperm(d)] for _ in range(4)])
        return torch.einsum("k,kij->ij", weights / weights.sum(), permutations)[None, None]

    def violation(self, matrix: Tensor, patch: tuple[int, ...], order: int = 4) -> float:
        ones = torch.ones(matrix.shape[-1], dtype=matrix.dtype)
        rows, columns = (matrix @ ones - 1).abs().max(), (matrix.mT @ ones - 1).abs().max()
        return max(float(rows), float(columns), float(-matrix.min()))

    def is_rigid(self, patch: tuple[int, ...]) -> bool:
        return patch == (1, 1)  # the only 1x1 matrix of the family is 1

    def test_a_permutation_is_kept(self) -> None:
        permutation = torch.eye(9, dtype=torch.float64)[torch.randperm(9)]
        torch.testing.assert_close(DoublyStochastic(permutation[None, None], (3, 3)).matrix()[0, 0], permutation)

    def test_a_negative_start_is_clipped_and_scaled(self) -> None:
        """`A = D clipped E` with diagonal D and E: the logarithms differ by a number per row and one per column."""
        start = random_matrix((3, 3))[0, 0]
        matrix = DoublyStochastic(start[None, None], (3, 3)).matrix()[0, 0].detach()
        assert self.violation(matrix, (3, 3)) < 1e-11
        difference = matrix.log() - torch.maximum(start, 1e-2 * start.abs().max()).log()
        centred = difference - difference.mean(0) - difference.mean(1, keepdim=True) + difference.mean()
        assert float(centred.abs().max()) < 1e-10
