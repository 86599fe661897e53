"""The linear part of an unfolded layer, `u + S^T(x - S u) + b`, fast on a CPU.

Note [Fast residual step]
Three things make the plain expression slow. Synthesis, a transposed convolution to one or three channels, leaves most
of a vector register empty; autograd keeps more than it needs; and codes stored by channel suit none of the kernels.
1. Synthesis by blocks: all pixels of a 2x4 block are outputs of one ordinary convolution of stride (2, 4), whose
   kernels are the filters, flipped and shifted within a frame of (n + 1) x (m + 3).
2. `I - S^T S` is its own adjoint. With the gradient g of the output and q = S g, the gradients are
   `g_u = g - S^T q`, `g_S = corr(r, g) - corr(q, u)` and `g_x = q`, for the residual r = x - S u: the same kernels.
3. Codes are kept channels-last, where weight gradients and block synthesis are several times faster.
"""

from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from lgn.nn.kernels.adjoint import Margins, correlate, synthesise
from lgn.nn.kernels.plain import PlainLayers, Unfolding, soft_threshold
from lgn.nn.kernels.plain_gradients import plain_gradients

BLOCK = (2, 4)  # the fastest of the measured blocks, for one and for three channels


def channels_last(x: Tensor) -> Tensor:
    """The tensor with channels innermost, also for one channel, for which torch leaves the strides ambiguous."""
    if x.shape[1] > 1:
        return x.contiguous(memory_format=torch.channels_last)
    height, width = x.shape[-2:]
    return x.contiguous().as_strided(x.shape, (height * width, 1, width, 1))


def block_kernels(filters: Tensor) -> Tensor:
    """The kernels of block synthesis.  (..., F, C, n, m) -> (..., C * 2 * 4, F, n + 1, m + 3)"""
    (n, m), (a, b) = filters.shape[-2:], BLOCK
    frames = F.pad(filters, (b - 1, b - 1, a - 1, a - 1))
    windows = frames.unfold(-2, n + a - 1, 1).unfold(-2, m + b - 1, 1)  # (..., F, C, a, b, n', m')
    return windows.flip(-2, -1).movedim(-6, -3).flatten(-6, -4)


def block_synthesise(codes: Tensor, kernels: Tensor, size: tuple[int, int], margins: Margins) -> Tensor:
    """`W * z` with the kernels of `block_kernels`, for an image of the given size."""
    rows, columns = -(-size[0] // BLOCK[0]), -(-size[1] // BLOCK[1])  # of blocks
    reach_down, reach_right = kernels.shape[-2] - BLOCK[0], kernels.shape[-1] - BLOCK[1]
    top, left = reach_down - margins.before[0], reach_right - margins.before[1]
    bottom = rows * BLOCK[0] + reach_down - codes.shape[-2] - top
    right = columns * BLOCK[1] + reach_right - codes.shape[-1] - left
    padding = (top, left)
    if (bottom, right) != padding:
        codes, padding = F.pad(codes, (left, right, top, bottom)), (0, 0)
    blocks = F.conv2d(codes, kernels, stride=BLOCK, padding=padding)
    image = blocks.unflatten(1, (-1, *BLOCK)).permute(0, 1, 4, 2, 5, 3).flatten(2, 3).flatten(3, 4)
    return image[..., : size[0], : size[1]]


class ResidualStep(torch.autograd.Function):
    """`u + S^T(x - S u) + b`; see Note [Fast residual step]. `kernels` are `block_kernels(S)`, without gradient."""

    @staticmethod
    def forward(
        ctx: Any, u: Tensor, x: Tensor, filters: Tensor, bias: Tensor, kernels: Tensor, margins: Margins
    ) -> Tensor:
        size = (x.shape[-2], x.shape[-1])
        residual = channels_last(x - block_synthesise(u, kernels, size, margins))
        ctx.save_for_backward(u, residual, filters, kernels, x, bias)
        ctx.margins = margins
        return correlate(residual, filters, margins, bias).add_(u)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor | None, ...]:
        u, residual, filters, kernels, x, bias = ctx.saved_tensors
        if torch.is_grad_enabled():
            plain = partial(_plain_step, margins=ctx.margins)
            return (*plain_gradients(plain, (u, x, filters, bias), ctx.needs_input_grad[:4], (g,)), None, None)
        g = channels_last(g)
        q = channels_last(block_synthesise(g, kernels, (residual.shape[-2], residual.shape[-1]), ctx.margins))
        g_u = correlate(q, -filters, ctx.margins).add_(g) if ctx.needs_input_grad[0] else None
        g_filters, g_bias = _filter_gradient(residual, g, filters, ctx.margins)
        g_filters -= _filter_gradient(q, u, filters, ctx.margins)[0]
        return g_u, q, g_filters, g_bias, None, None


class Synthesis(torch.autograd.Function):
    """`W * z` by blocks, for a decoder; its gradients are the analysis of g, and `corr(g, z)`."""

    @staticmethod
    def forward(ctx: Any, codes: Tensor, filters: Tensor, margins: Margins) -> Tensor:
        inputs = codes, filters
        codes, bank = channels_last(codes), channels_last(filters)
        ctx.save_for_backward(codes, bank, *inputs)
        ctx.margins = margins
        height, width = margins.image_size(codes, filters.shape[-2:])
        return block_synthesise(codes, channels_last(block_kernels(filters)), (height, width), margins)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor | None, ...]:
        codes, bank, *inputs = ctx.saved_tensors
        if torch.is_grad_enabled():
            plain = partial(synthesise, margins=ctx.margins)
            return (*plain_gradients(plain, inputs, ctx.needs_input_grad[:2], (g,)), None)
        g = channels_last(g)
        g_codes = correlate(g, bank, ctx.margins) if ctx.needs_input_grad[0] else None
        return g_codes, _filter_gradient(g, codes, bank, ctx.margins)[0], None


def _plain_step(u: Tensor, x: Tensor, filters: Tensor, bias: Tensor, margins: Margins) -> Tensor:
    return u + correlate(x - synthesise(u, filters, margins), filters, margins, bias)


def _filter_gradient(image: Tensor, codes: Tensor, filters: Tensor, margins: Margins) -> tuple[Tensor, Tensor]:
    """The gradient of `<codes, correlate(image, filters, bias)>` by the filters and the bias."""
    padding = list(margins.before)
    if not margins.symmetric:
        image, padding = F.pad(image, margins.padded), [0, 0]
    _, g_filters, g_bias = torch.ops.aten.convolution_backward(
        codes, image, filters, [len(filters)], [1, 1], padding, [1, 1], False, [0, 0], 1, [False, True, True]
    )
    return g_filters, g_bias


class FastLayers(PlainLayers):
    """Layers by Note [Fast residual step]; a one-sided threshold is the bias of the convolution."""

    def __init__(self, unfolding: Unfolding) -> None:
        super().__init__(unfolding)
        self.banks = [channels_last(bank) for bank in unfolding.filters]
        with torch.no_grad():
            self.kernels = [channels_last(kernels) for kernels in block_kernels(unfolding.filters.detach())]
        self.biases = torch.zeros_like(unfolding.thresholds) if unfolding.two_sided else -unfolding.thresholds

    def image(self, x: Tensor) -> Tensor:
        return channels_last(x)

    def __call__(self, u: Tensor | None, x: Tensor, number: int) -> Tensor:
        index = number % len(self.banks)
        bank, bias = self.banks[index], self.biases[index]
        if u is None:
            linear = correlate(x, bank, self.margins, bias)
        else:
            linear = ResidualStep.apply(u, x, bank, bias, self.kernels[index], self.margins)
        if self.two_sided:
            return soft_threshold(linear, self.unfolding.thresholds[index].view(-1, 1, 1))
        return F.relu_(linear)
