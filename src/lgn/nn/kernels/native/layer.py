"""Layers of the unfolded encoder by compiled kernels, with momentum and batch normalisation inside the next layer."""

from collections.abc import Callable
from ctypes import c_double, c_long, c_void_p
from typing import NamedTuple, TypeGuard

import torch
from torch import Tensor, nn

from lgn.actions import Patch
from lgn.nn.kernels.batch_norm import CodeBatchNorm
from lgn.nn.kernels.native.compiled import kernels
from lgn.nn.kernels.native.step import NativeStep, Numbers
from lgn.nn.kernels.plain import PlainLayers, Unfolding

LARGEST = 11  # side of the patches that were measured
SHORTEST = 8  # row of codes: the width of the narrowest vectors


class LayerInput(NamedTuple):
    """The input of a layer, which the layer mixes and normalises while it reads it; see `NativeStep`."""

    codes: Tensor | None
    previous: Tensor | None = None
    moments: Tensor | None = None
    weight: Tensor | None = None
    shift: Tensor | None = None
    ahead: float = 1.0
    eps: float = 0.0


class NativeLayers(PlainLayers):
    """Layers with a one-sided threshold, in float32 on a CPU; see Note [Native step]."""

    def __init__(self, unfolding: Unfolding) -> None:
        super().__init__(unfolding)
        # Unbound at once: the gradient of a slice would be padded with zeros to the size of all filters.
        self.filters, self.biases = unfolding.filters.unbind(), (-unfolding.thresholds).unbind()
        #: The codes and moments of the last layer, and the codes of the layer before, which it passed on.
        self.last: tuple[Tensor, Tensor | None, Tensor | None] | None = None

    def __call__(self, u: Tensor | LayerInput | None, x: Tensor, number: int) -> Tensor:
        return self.pooled(u, x, number, 0)

    def pooled(self, u: Tensor | LayerInput | None, x: Tensor, number: int, cells: int) -> Tensor:
        given = u if isinstance(u, LayerInput) else LayerInput(u)
        index, norm = number % len(self.filters), self.unfolding.norm_before(number + 1)
        following = self.unfolding.ahead[number + 1] if number + 1 < len(self.unfolding.ahead) else 1.0
        # Codes that a separate module normalised cannot be mixed here.
        mixable = following == 1 or isinstance(u, LayerInput)
        numbers = Numbers(
            self.unfolding.margins,
            given.ahead,
            following if mixable else 1.0,
            given.eps,
            mixable and _is_usual(norm) and norm.training,
            cells,
        )
        self.last = NativeStep.apply(*given[:5], x, self.filters[index], self.biases[index], numbers)
        return self.last[0]

    def layer_input(self, codes: Tensor, previous: Tensor, number: int) -> Tensor | LayerInput:
        """The codes of the layers before, mixed and normalised by the kernel if it can, else by separate modules."""
        norm, ahead = self.unfolding.norm_before(number), self.unfolding.ahead[number]
        assert self.last is not None
        made, moments, passed = self.last
        before = None if ahead == 1 else passed
        mixable = codes is made and (ahead == 1 or before is not None)
        if norm is None and mixable:
            return LayerInput(codes, before, ahead=ahead)
        if not (mixable and _is_usual(norm) and (moments is not None or not norm.training)):
            return super().layer_input(codes, previous, number)
        moments = _running(norm) if moments is None else moments
        if norm.training:
            _track(norm, moments, codes.numel() / codes.shape[1])
        return LayerInput(codes, before, moments, norm.weight, norm.bias, ahead, norm.eps)


def is_native(
    x: Tensor,
    dtype: torch.dtype,
    patch: Patch,
    code_size: Patch,
    report: Callable[[str], None] | None = None,
) -> bool:
    """Whether native layers support images or codes like x: float32 on a CPU, patches up to 11x11, codes from 8x8.

    `dtype` is that of the filters; `report` gets a message if the kernels must be compiled first.
    """
    return (
        x.device.type == "cpu"
        and x.dtype == dtype == torch.float32
        and len(patch) == 2
        and max(patch) <= LARGEST
        and min(code_size) >= SHORTEST
        and not torch.jit.is_tracing()  # type: ignore[attr-defined]
        and kernels(report) is not None
    )


def _is_usual(norm: nn.Module | None) -> TypeGuard[CodeBatchNorm]:
    """Whether a normalisation is a `CodeBatchNorm` with running statistics in float32 and without hooks."""
    if not isinstance(norm, CodeBatchNorm) or norm.running_mean is None or norm.running_mean.dtype != torch.float32:
        return False
    hooks = norm._forward_hooks, norm._forward_pre_hooks, norm._backward_hooks, norm._backward_pre_hooks
    return norm.momentum is not None and norm.track_running_stats and norm.affine and not any(hooks)


def _running(norm: CodeBatchNorm) -> Tensor:
    assert norm.running_mean is not None
    assert norm.running_var is not None
    return torch.stack([norm.running_mean, norm.running_var]).double()


def _track(norm: CodeBatchNorm, moments: Tensor, count: float) -> None:
    """Update running statistics in one call: torch's operations would take a percent of a step for every layer."""
    library = kernels()
    assert library is not None
    assert norm.momentum is not None
    tensors = moments, norm.running_mean, norm.running_var, norm.num_batches_tracked
    pointers = (c_void_p(tensor.data_ptr()) for tensor in tensors if tensor is not None)
    library.track(*pointers, c_long(norm.num_features), c_double(norm.momentum), c_double(count / (count - 1)))
