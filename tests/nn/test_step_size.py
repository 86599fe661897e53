"""The safe step: a close upper bound for one channel and for several."""

from typing import Any

import pytest
import torch
from nn.dense import dense_matrix

from lgn.nn.kernels.adjoint import Margins, correlate, synthesise
from lgn.nn.unfolded import largest_eigenvalue


@pytest.mark.parametrize("channels", [1, 2, 3])
@pytest.mark.parametrize("patch", [(3, 3), (4, 5)], ids=str)
@pytest.mark.parametrize("padding", [0, 1, "same"])
def test_it_bounds_the_dense_matrix_from_above(channels: int, patch: tuple[int, int], padding: Any) -> None:
    torch.manual_seed(0)
    filters = torch.randn(2, 4, channels, *patch, dtype=torch.float64)
    size = (9, 8)
    bounds = largest_eigenvalue(filters, size)
    assert bounds.shape == (2,)
    for bank, bound in zip(filters, bounds, strict=True):
        matrix = dense_matrix(bank, Margins.of(padding, patch), size)
        exact = torch.linalg.matrix_norm(matrix, 2) ** 2
        assert exact <= bound * (1 + 1e-12)


def test_it_is_exact_for_a_filter_of_one_pixel() -> None:
    filters = torch.tensor([3.0, 4.0]).view(1, 2, 1, 1, 1)
    assert float(largest_eigenvalue(filters, (5, 5))) == pytest.approx(25)


@pytest.mark.parametrize("channels", [1, 3])
def test_it_is_close_for_images_much_larger_than_the_filters(channels: int) -> None:
    """The bound is compared with the exact value by power iteration."""
    torch.manual_seed(0)
    filters, margins = torch.randn(4, channels, 4, 4, dtype=torch.float64), Margins.of("same", (4, 4))
    codes = torch.randn(1, 4, 40, 40, dtype=torch.float64)
    for _ in range(100):
        codes = correlate(synthesise(codes / codes.norm(), filters, margins), filters, margins)
    bound = float(largest_eigenvalue(filters.unsqueeze(0), (40, 40)))
    assert float(codes.norm()) <= bound < 1.1 * float(codes.norm())
