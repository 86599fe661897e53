"""Batch normalisation that is fast and exact for codes stored channels-last."""

from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from lgn.nn.kernels.plain_gradients import is_transformed, plain_gradients

PARTS = 64


class CodeBatchNorm(nn.BatchNorm2d):
    """`nn.BatchNorm2d` that computes batch statistics by matrix products if codes are stored channels-last on a CPU.

    torch's own kernel is slow for such codes with several threads, and loses half the digits of the gradient.
    """

    def forward(self, input: Tensor) -> Tensor:
        rows = _rows(input)
        if not (self.training and rows is not None and self.momentum is not None and self.track_running_stats):
            return super().forward(input)
        output, mean, variance = _Normalise.apply(rows, self.weight, self.bias, self.eps)
        with torch.no_grad():
            count = len(rows)
            assert self.running_mean is not None
            assert self.running_var is not None
            assert self.num_batches_tracked is not None
            self.running_mean.lerp_(mean, self.momentum)
            self.running_var.lerp_(variance * (count / (count - 1)), self.momentum)
            self.num_batches_tracked += 1
        batch, _, height, width = input.shape
        return output.unflatten(0, (batch, height, width)).permute(0, 3, 1, 2)


class _Normalise(torch.autograd.Function):
    """Normalise columns: `y = gamma (x - mean) / sqrt(var + eps) + beta`.  (rows, channels) -> (rows, channels)"""

    @staticmethod
    def forward(ctx: Any, x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> tuple[Tensor, Tensor, Tensor]:
        mean = _column_sums(x) / len(x)
        centred = x - mean  # the difference of large squares would lose the variance of a nearly constant channel
        variance = _column_sums(centred * centred) / len(x)
        scale = (variance + eps).rsqrt()
        ctx.save_for_backward(centred, gamma, scale, x, beta)
        ctx.eps = eps
        ctx.mark_non_differentiable(mean, variance)
        return torch.addcmul(beta, centred, scale * gamma), mean, variance

    @staticmethod
    def backward(ctx: Any, g: Tensor, *_: Tensor) -> tuple[Tensor | None, ...]:
        centred, gamma, scale, x, beta = ctx.saved_tensors
        if torch.is_grad_enabled():
            plain = partial(_plain, eps=ctx.eps)
            return (*plain_gradients(plain, (x, gamma, beta), ctx.needs_input_grad[:3], (g,)), None)
        g_beta = _column_sums(g)
        g_gamma = _column_sums(g * centred) * scale
        # g_x = gamma scale (g - mean(g) - x_hat mean(g x_hat)) for x_hat = scale * centred
        weight = gamma * scale / len(g)
        g_x = torch.addcmul(-weight * g_beta, centred, -weight * scale * g_gamma).addcmul_(g, gamma * scale)
        return g_x, g_gamma, g_beta, None


def _plain(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    centred = x - x.mean(0)
    return gamma * centred * (centred.square().mean(0) + eps).rsqrt() + beta


def _column_sums(x: Tensor) -> Tensor:
    """Sums over rows by matrix products, in parts: one long sum in float32 would cost a digit of the gradients."""
    length = len(x) // PARTS
    parts = x[: PARTS * length].view(PARTS, length, x.shape[1])
    return (x.new_ones(PARTS, 1, length) @ parts).sum((0, 1)) + x[PARTS * length :].sum(0)


def _rows(codes: Tensor) -> Tensor | None:
    """Codes as (batch * height * width, channels) without a copy, or None if they are stored otherwise."""
    unsupported = torch.compiler.is_compiling() or torch.is_autocast_enabled("cpu") or is_transformed()
    if codes.device.type != "cpu" or unsupported:
        return None
    inner = codes.permute(0, 2, 3, 1)
    return inner.flatten(0, 2) if inner.is_contiguous() else None
