import math
from typing import Any

import pytest
import torch
from generators.contract import ExactFamilyContract, random_matrix
from torch import Tensor

from lgn.generators import Orthogonal, start_matrices


class TestOrthogonal(ExactFamilyContract):
    family: Any = Orthogonal
    guarantee = "A^T A = I"

    def member(self, patch: tuple[int, ...], order: int = 4) -> Tensor:
        return start_matrices("orthogonal", (1, 1), math.prod(patch), dtype=torch.float64)

    def violation(self, matrix: Tensor, patch: tuple[int, ...], order: int = 4) -> float:
        return float((matrix.mT @ matrix - torch.eye(matrix.shape[-1], dtype=matrix.dtype)).norm(dim=(-2, -1)).max())

    def is_rigid(self, patch: tuple[int, ...]) -> bool:
        return patch == (1, 1)  # 1 or -1

    @pytest.mark.parametrize("sign", [1, -1])
    @pytest.mark.parametrize("patch", [(2, 3), (3, 3)], ids=str)
    def test_the_sign_of_the_determinant_is_kept(self, sign: int, patch: tuple[int, ...]) -> None:
        """Even if the target of the training has the other sign."""
        start = self.member(patch)
        if float(torch.linalg.det(start)) * sign < 0:
            start[..., 0, :] *= -1
        generator = Orthogonal(start, patch)
        target = self.member(patch)
        if float(torch.linalg.det(target)) * sign > 0:
            target[..., 0, :] *= -1
        optimizer = torch.optim.Adam(generator.parameters(), lr=0.1)
        for _ in range(100):
            optimizer.zero_grad()
            (generator.matrix() - target).square().sum().backward()
            optimizer.step()
            assert float(torch.linalg.det(generator.matrix().detach())) == pytest.approx(sign)
        assert float((generator.matrix().detach() - start).norm()) > 0.1

    def test_singular_starts_are_refused(self) -> None:
        start = random_matrix((2, 3))
        start[..., 0] = start[..., 1]
        with pytest.raises(ValueError, match="start must be invertible for Orthogonal, got a matrix of rank 5 of 6"):
            Orthogonal(start, (2, 3))
