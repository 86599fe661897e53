import math
from functools import partial
from typing import Any

import pytest
import torch
from generators.contract import ExactFamilyContract, random_matrix, train
from torch import Tensor

from lgn.generators import LowRank


class TestLowRank(ExactFamilyContract):
    family: Any = LowRank
    guarantee = "A = I + U V^T"
    rank = 4

    def member(self, patch: tuple[int, ...], order: int = 4) -> Tensor:
        d = math.prod(patch)
        u, v = torch.randn(2, d, min(self.rank, d), dtype=torch.float64)
        return (torch.eye(d, dtype=torch.float64) + u @ v.T)[None, None]

    def violation(self, matrix: Tensor, patch: tuple[int, ...], order: int = 4) -> float:
        singular = torch.linalg.svdvals(matrix - torch.eye(matrix.shape[-1], dtype=matrix.dtype))
        return float(singular[..., self.rank :].sum())

    def test_the_identity_has_a_gradient(self) -> None:
        generator = LowRank(torch.eye(6).reshape(1, 1, 6, 6), (2, 3))
        assert torch.equal(generator.matrix(), torch.eye(6).reshape(1, 1, 6, 6))
        train(generator, steps=1)
        assert not torch.equal(generator.matrix(), torch.eye(6).reshape(1, 1, 6, 6))
        assert float(generator.guarantee_error()) < 1e-5

    def test_it_stores_2_r_d_numbers(self) -> None:
        generator = LowRank(random_matrix((2, 3)), (2, 3), rank=2)
        assert sum(parameter.numel() for parameter in generator.parameters()) == 2 * 2 * 6
        assert "rank 2" in repr(generator)

    @pytest.mark.parametrize("rank", [0, 7])
    def test_bad_ranks_are_named(self, rank: int) -> None:
        with pytest.raises(ValueError, match=f"rank must be from 1 to 6 for a kernel of 2x3, got {rank}"):
            LowRank(random_matrix((2, 3)), (2, 3), rank=rank)


class TestRankOne(TestLowRank):
    family: Any = partial(LowRank, rank=1)
    rank = 1
