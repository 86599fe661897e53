"""The fast residual step agrees with the plain expression: its value and its gradients."""

from typing import Any

import pytest
import torch
from nn.dense import dense_matrix
from torch import Tensor

from lgn.nn.kernels.adjoint import Margins, correlate, synthesise
from lgn.nn.kernels.fast import ResidualStep, Synthesis, block_kernels, block_synthesise, channels_last

each_size = pytest.mark.parametrize("size", [(8, 8), (9, 7), (7, 10), (6, 11)], ids=str)  # blocks are 2x4
each_patch = pytest.mark.parametrize("patch", [(3, 3), (4, 4), (6, 6), (5, 2), (1, 1)], ids=str)


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


@each_size
@each_patch
@pytest.mark.parametrize("padding", [0, "same"])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_block_synthesis_is_synthesis(
    size: tuple[int, int], patch: tuple[int, int], padding: Any, channels: int
) -> None:
    margins = Margins.of(padding, patch)
    filters = torch.randn(4, channels, *patch, dtype=torch.float64)
    codes = torch.randn_like(correlate(torch.randn(2, channels, *size, dtype=torch.float64), filters, margins))
    fast = block_synthesise(codes, block_kernels(filters), size, margins)
    torch.testing.assert_close(fast, synthesise(codes, filters, margins), rtol=1e-12, atol=1e-12)


@each_size
@each_patch
@pytest.mark.parametrize(("padding", "channels"), [(0, 1), ("same", 2), ("same", 3)])
def test_the_synthesis_of_a_decoder_and_its_gradients(
    size: tuple[int, int], patch: tuple[int, int], padding: Any, channels: int
) -> None:
    margins = Margins.of(padding, patch)
    filters = torch.randn(4, channels, *patch, dtype=torch.float64)
    codes = torch.randn_like(correlate(torch.randn(2, channels, *size, dtype=torch.float64), filters, margins))
    mine = [codes.clone().requires_grad_(), filters.clone().requires_grad_()]
    plain = [codes.clone().requires_grad_(), filters.clone().requires_grad_()]
    image, expected = Synthesis.apply(*mine, margins), synthesise(*plain, margins)
    torch.testing.assert_close(image, expected, rtol=1e-12, atol=1e-12)
    g = torch.randn_like(expected)
    image.backward(g)
    expected.backward(g)
    for a, b in zip(mine, plain, strict=True):
        torch.testing.assert_close(a.grad, b.grad, rtol=1e-11, atol=1e-11)


@each_size
@each_patch
@pytest.mark.parametrize(("padding", "channels"), [(0, 1), ("same", 2), ("same", 3), (0, 4)])
def test_value_and_gradients_agree_with_autograd(
    size: tuple[int, int], patch: tuple[int, int], padding: Any, channels: int
) -> None:
    """`u + S^T(x - S u) + b` and its gradients by u, x, S and b, in float64 to 1e-11 of their size."""
    margins = Margins.of(padding, patch)
    filters = torch.randn(4, channels, *patch, dtype=torch.float64)
    x = torch.randn(2, channels, *size, dtype=torch.float64)
    u = torch.randn_like(correlate(x, filters, margins))
    inputs = [channels_last(u), channels_last(x), channels_last(filters), torch.randn(4, dtype=torch.float64)]
    mine = [tensor.clone().requires_grad_() for tensor in inputs]
    plain = [tensor.clone().requires_grad_() for tensor in inputs]
    kernels = channels_last(block_kernels(filters))
    output = ResidualStep.apply(*mine, kernels, margins)
    expected = plain[0] + correlate(plain[1] - synthesise(plain[0], plain[2], margins), plain[2], margins, plain[3])
    g = torch.randn_like(expected)
    output.backward(g)
    expected.backward(g)
    assert (output - expected).norm() / expected.norm() < 1e-11
    for name, a, b in zip("uxSb", mine, plain, strict=True):
        assert a.grad is not None
        assert b.grad is not None
        assert float((a.grad - b.grad).norm() / b.grad.norm()) < 1e-11, name


def test_the_map_is_its_own_adjoint() -> None:
    """`I - S^T S` is symmetric, so the backward pass can use the forward kernels."""
    filters, margins = torch.randn(3, 2, 4, 4, dtype=torch.float64), Margins.of("same", (4, 4))
    matrix = dense_matrix(filters, margins, (5, 6))
    step = torch.eye(matrix.shape[1], dtype=torch.float64) - matrix.T @ matrix
    codes = torch.randn(2, 3, 5, 6, dtype=torch.float64)
    zero = torch.zeros(2, 2, 5, 6, dtype=torch.float64)
    output = ResidualStep.apply(
        codes, zero, filters, torch.zeros(3, dtype=torch.float64), block_kernels(filters), margins
    )
    torch.testing.assert_close(output.flatten(1), codes.flatten(1) @ step)
    torch.testing.assert_close(step, step.T)


def test_second_derivatives_agree_with_the_plain_expression() -> None:
    margins = Margins.of(1, (3, 3))
    filters, bias = torch.randn(3, 1, 3, 3, dtype=torch.float64), torch.randn(3, dtype=torch.float64)
    u, x = torch.randn(1, 3, 5, 5, dtype=torch.float64), torch.randn(1, 1, 5, 5, dtype=torch.float64)
    inputs = [value.requires_grad_() for value in (u, x, filters, bias)]

    def step(u: Tensor, x: Tensor, filters: Tensor, bias: Tensor) -> Tensor:
        return ResidualStep.apply(u, x, filters, bias, block_kernels(filters.detach()), margins)

    assert torch.autograd.gradgradcheck(step, inputs)
