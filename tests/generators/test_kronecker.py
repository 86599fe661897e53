import math
from typing import Any

import torch
from generators.contract import ExactFamilyContract, random_matrix
from torch import Tensor

from lgn.actions import act
from lgn.generators import Kronecker


class TestKronecker(ExactFamilyContract):
    family: Any = Kronecker
    guarantee = "A = B (x) C"

    def member(self, patch: tuple[int, ...], order: int = 4) -> Tensor:
        product = torch.ones(1, 1, dtype=torch.float64)
        for size in patch:
            product = torch.kron(torch.randn(size, size, dtype=torch.float64), product)
        return product[None, None]

    def violation(self, matrix: Tensor, patch: tuple[int, ...], order: int = 4) -> float:
        """All m x m blocks of size n x n must be multiples of one another: the second singular value tells.

        So for each way to cut the axes in two, and for a signal for none.
        """
        worst = 0.0
        for cut in range(1, len(patch)):
            n, m = math.prod(patch[:cut]), math.prod(patch[cut:])
            blocks = matrix.reshape(*matrix.shape[:2], m, n, m, n).permute(0, 1, 2, 4, 3, 5).reshape(-1, m * m, n * n)
            singular = torch.linalg.svdvals(blocks)
            worst = max(worst, float((singular[:, 1:].norm(dim=-1) / singular.norm(dim=-1)).max()))
        return worst

    def test_it_acts_on_rows_and_columns_apart(self) -> None:
        """`phi_A(X) = C X B^T`, with `n^2 + m^2` numbers."""
        generator = Kronecker(random_matrix((2, 3)), (2, 3))
        x = torch.randn(2, 3, dtype=torch.float64)
        b, c = generator.columns[0, 0], generator.rows[0, 0]
        torch.testing.assert_close(act(generator.matrix()[0, 0], x), c @ x @ b.T)
        assert sum(parameter.numel() for parameter in generator.parameters()) == 2**2 + 3**2

    def test_it_acts_on_the_axes_of_a_volume_apart(self) -> None:
        patch = (2, 3, 2)
        generator = Kronecker(random_matrix(patch), patch)
        x = torch.randn(patch, dtype=torch.float64)
        parts = [getattr(generator, name)[0, 0] for name in ("rows", "columns", "slices")]
        expected = torch.einsum("ai,bj,ck,ijk->abc", *parts, x)
        torch.testing.assert_close(act(generator.matrix()[0, 0], x, 3), expected)
