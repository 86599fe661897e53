"""Batch normalisation that is fast, and exact, on codes stored channels-last."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable


class CodeBatchNorm(nn.BatchNorm2d):
    """`nn.BatchNorm2d`, with batch statistics by matrix products where codes are stored channels-last on a CPU.

    torch's own kernel is slow there on several threads, and loses half the digits of the gradient.
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
        variance = (_column_sums(x * x) / len(x) - mean * mean).clamp_min(0)
        scale = (variance + eps).rsqrt()
        ctx.save_for_backward(x, gamma, mean, scale)
        ctx.mark_non_differentiable(mean, variance)
        return torch.addcmul(beta - mean * scale * gamma, x, scale * gamma), mean, variance

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, g: Tensor, *_: Tensor) -> tuple[Tensor | None, ...]:
        x, gamma, mean, scale = ctx.saved_tensors
        g_beta = _column_sums(g)
        g_gamma = (_column_sums(g * x) - mean * g_beta) * scale
        # g_x = gamma scale (g - mean(g) - x_hat mean(g x_hat)), gathered by what multiplies x and what does not
        by_x = -gamma * scale * scale * g_gamma / len(x)
        constant = -gamma * scale * g_beta / len(x) - by_x * mean
        g_x = torch.addcmul(constant, x, by_x).addcmul_(g, gamma * scale)
        return g_x, g_gamma, g_beta, None


def _column_sums(x: Tensor) -> Tensor:
    return (x.new_ones(1, len(x)) @ x)[0]


def _rows(codes: Tensor) -> Tensor | None:
    """Codes as (batch * height * width, channels) without a copy, or None where they are not stored so."""
    if codes.device.type != "cpu" or torch.compiler.is_compiling():
        return None
    inner = codes.permute(0, 2, 3, 1)
    return inner.flatten(0, 2) if inner.is_contiguous() else None
