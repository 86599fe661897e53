from typing import Any

import torch
from generators.contract import ExactFamilyContract, random_matrix
from torch import Tensor

from lgn.actions import act, matrix_of
from lgn.generators import Circulant


def fourier(patch: tuple[int, ...]) -> Tensor:
    """The Fourier matrix of all axes on column-major vectors."""
    return matrix_of(lambda x: torch.fft.fftn(x, dim=tuple(range(1, x.ndim)), norm="ortho"), patch)


class TestCirculant(ExactFamilyContract):
    family: Any = Circulant
    guarantee = "A = F^-1 D F"

    def member(self, patch: tuple[int, ...], order: int = 4) -> Tensor:
        kernel = torch.randn(patch, dtype=torch.float64)
        axes = tuple(range(1, len(patch) + 1))

        def filtered(x: Tensor) -> Tensor:
            return torch.fft.ifftn(torch.fft.fftn(x, dim=axes) * torch.fft.fftn(kernel), dim=axes).real

        return matrix_of(filtered, patch)[None, None]

    def violation(self, matrix: Tensor, patch: tuple[int, ...], order: int = 4) -> float:
        """In the Fourier basis, all that is not on the diagonal."""
        f = fourier(patch)
        inside = f @ matrix.to(f.dtype) @ f.conj().mT
        return float((inside - torch.diag_embed(inside.diagonal(dim1=-2, dim2=-1))).abs().max())

    def test_it_filters_with_wrap_around_and_commutes_with_shifts(self) -> None:
        generator = Circulant(random_matrix((4, 3)), (4, 3))
        a, x = generator.matrix()[0, 0].detach(), torch.randn(4, 3, dtype=torch.float64)
        kernel = act(a, torch.eye(12, dtype=torch.float64)[0].reshape(3, 4).T)  # the answer to an impulse at (0, 0)
        expected = torch.fft.ifft2(torch.fft.fft2(x) * torch.fft.fft2(kernel)).real
        torch.testing.assert_close(act(a, x), expected)
        torch.testing.assert_close(act(a, x.roll((1, 2), (0, 1))), act(a, x).roll((1, 2), (0, 1)))
        assert sum(parameter.numel() for parameter in generator.parameters()) == 12
