"""Layers of the unfolded encoder by compiled kernels, with batch normalisation folded into the next layer."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn

from lgn.nn.kernels.adjoint import Margins
from lgn.nn.kernels.batch_norm import CodeBatchNorm
from lgn.nn.kernels.native.compiled import kernels_for
from lgn.nn.kernels.native.step import LANES, NativeStep, at_points, code_shape

LARGEST = 11  # of the patches that were measured


class Normalised(NamedTuple):
    """Codes that are not yet normalised, `scale * codes + shift`: the next layer does it as it reads them."""

    codes: Tensor
    scale: Tensor  # (F,)
    shift: Tensor  # (F,)


class NativeLayers:
    """Layers with a one-sided threshold, in float32 on a CPU; see Note [Native step]."""

    def __init__(self, filters: Tensor, thresholds: Tensor, two_sided: bool, margins: Margins) -> None:
        if two_sided:
            raise ValueError("two_sided must be False for native layers, got True")
        self.patch, self.margins = (filters.shape[-2], filters.shape[-1]), margins
        self.points, self.biases = at_points(filters), -thresholds
        self.last: tuple[Tensor, Tensor] | None = None  # the last layer's codes, and their sums

    def __call__(self, u: Tensor | Normalised | None, x: Tensor, number: int) -> Tensor:
        if isinstance(u, Tensor):
            u = Normalised(u, u.new_ones(u.shape[1]), u.new_zeros(u.shape[1]))
        index = number % len(self.points)
        self.last = NativeStep.apply(
            *(u or (None, None, None)), x, self.points[index], self.biases[index], self.margins, self.patch
        )
        return self.last[0]

    def image(self, x: Tensor) -> Tensor:
        return x

    def following(self, codes: Tensor, norm: nn.Module | None) -> Tensor | Normalised:
        """Batch normalisation of codes: from their sums where this layer made them, else by the module."""
        if norm is None:
            return codes
        made_here = self.last is not None and codes is self.last[0]
        if not (isinstance(norm, CodeBatchNorm) and made_here and _is_usual(norm)):
            return norm(codes)
        assert self.last is not None
        count = codes.numel() / codes.shape[1]
        mean, variance = norm.running_mean, norm.running_var
        assert mean is not None
        assert variance is not None
        if norm.training:
            mean, squares = self.last[1] / count
            variance = (squares - mean * mean).clamp_min(0)
            _track(norm, mean.detach(), variance.detach() * (count / (count - 1)))
        scale = norm.weight * (variance + norm.eps).rsqrt()
        return Normalised(codes, scale.to(codes.dtype), (norm.bias - mean * scale).to(codes.dtype))


def is_native(
    x: Tensor, dtype: torch.dtype, patch: tuple[int, int], margins: Margins, say: Callable[[str], None] | None = None
) -> bool:
    """Whether native layers can encode an image: float32 on a CPU, patches up to 11x11, codes of at least 8x8.

    `dtype` is that of the filters; `say` is told if the kernels must be compiled first.
    """
    return (
        x.device.type == "cpu"
        and x.dtype == dtype == torch.float32
        and max(patch) <= LARGEST
        and min(code_shape(x, patch, margins)) >= LANES
        and not torch.jit.is_tracing()  # type: ignore[attr-defined]
        and kernels_for(patch, say) is not None
    )


def _is_usual(norm: CodeBatchNorm) -> bool:
    hooks = norm._forward_hooks, norm._forward_pre_hooks, norm._backward_hooks, norm._backward_pre_hooks
    return norm.momentum is not None and norm.track_running_stats and norm.affine and not any(hooks)


@torch.no_grad()
def _track(norm: CodeBatchNorm, mean: Tensor, variance: Tensor) -> None:
    assert norm.running_mean is not None
    assert norm.running_var is not None
    assert norm.num_batches_tracked is not None
    assert norm.momentum is not None
    norm.running_mean.lerp_(mean.to(norm.running_mean.dtype), norm.momentum)
    norm.running_var.lerp_(variance.to(norm.running_var.dtype), norm.momentum)
    norm.num_batches_tracked += 1
