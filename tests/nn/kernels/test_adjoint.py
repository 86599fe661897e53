"""Correlation and synthesis are adjoint and agree with their definitions."""

from typing import Any

import pytest
import torch
from nn.dense import dense_matrix

from lgn.nn.kernels.adjoint import Margins, correlate, synthesise

each_patch = pytest.mark.parametrize("patch", [(1, 1), (3, 3), (6, 6), (4, 5), (5, 2)], ids=str)


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


@each_patch
@pytest.mark.parametrize("padding", [0, 1, "same"])
@pytest.mark.parametrize("channels", [1, 3])
def test_synthesis_and_correlation_are_a_matrix_and_its_transpose(
    patch: tuple[int, int], padding: Any, channels: int
) -> None:
    if padding == 1 and min(patch) == 1:
        padding = 0
    margins, size = Margins.of(padding, patch), (7, 6)
    filters = torch.randn(2, channels, *patch, dtype=torch.float64)
    matrix = dense_matrix(filters, margins, size)
    x = torch.randn(3, channels, *size, dtype=torch.float64)
    codes = correlate(x, filters, margins)
    torch.testing.assert_close(codes.flatten(1), x.flatten(1) @ matrix)
    z = torch.randn_like(codes)
    image = synthesise(z, filters, margins)
    assert image.shape == x.shape
    torch.testing.assert_close(image.flatten(1), z.flatten(1) @ matrix.T)


@pytest.mark.parametrize(("n", "before", "after"), [(1, 0, 0), (3, 1, 1), (4, 1, 2), (5, 2, 2), (6, 2, 3)])
def test_same_padding_keeps_the_size(n: int, before: int, after: int) -> None:
    margins = Margins.of("same", (n, n))
    assert margins == ((before, before), (after, after))
    assert correlate(torch.randn(1, 1, 9, 8), torch.randn(2, 1, n, n), margins).shape == (1, 2, 9, 8)


def test_the_bias_is_added_per_filter() -> None:
    x, filters, bias, margins = (
        torch.randn(2, 1, 6, 6),
        torch.randn(3, 1, 4, 4),
        torch.randn(3),
        Margins.of("same", (4, 4)),
    )
    expected = correlate(x, filters, margins) + bias.view(-1, 1, 1)
    torch.testing.assert_close(correlate(x, filters, margins, bias), expected)


@pytest.mark.parametrize("padding", [-1, 3, "valid"])
def test_other_paddings_are_refused_by_name(padding: Any) -> None:
    with pytest.raises(ValueError, match=r"padding must be 'same' or from 0 to 2, got"):
        Margins.of(padding, (3, 4))
