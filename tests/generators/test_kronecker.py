from typing import Any

import torch
from generators.contract import ExactFamilyContract, random_matrix
from torch import Tensor

from lgn.algebra import act
from lgn.generators import Kronecker


class TestKronecker(ExactFamilyContract):
    family: Any = Kronecker
    law = "A = B (x) C"

    def member(self, patch: tuple[int, int], order: int = 4) -> Tensor:
        n, m = patch
        return torch.kron(torch.randn(m, m, dtype=torch.float64), torch.randn(n, n, dtype=torch.float64))[None, None]

    def violation(self, matrix: Tensor, patch: tuple[int, int], order: int = 4) -> float:
        """All m x m blocks of size n x n must be multiples of one another: the second singular value tells."""
        n, m = patch
        blocks = matrix.reshape(*matrix.shape[:2], m, n, m, n).permute(0, 1, 2, 4, 3, 5).reshape(-1, m * m, n * n)
        singular = torch.linalg.svdvals(blocks)
        return float((singular[:, 1:].norm(dim=-1) / singular.norm(dim=-1)).max())

    def test_it_acts_on_rows_and_columns_apart(self) -> None:
        """`phi_A(X) = C X B^T`, with `n^2 + m^2` numbers."""
        generator = Kronecker(random_matrix((2, 3)), (2, 3))
        x = torch.randn(2, 3, dtype=torch.float64)
        b, c = generator.columns[0, 0], generator.rows[0, 0]
        torch.testing.assert_close(act(generator.matrix()[0, 0], x), c @ x @ b.T)
        assert sum(parameter.numel() for parameter in generator.parameters()) == 2**2 + 3**2
