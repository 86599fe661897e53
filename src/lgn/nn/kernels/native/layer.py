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
from lgn.nn.kernels.unfolding import Unfolding

LARGEST = 11  # of the patches that were measured
SHORTEST = 8  # row of codes: a vector of the narrowest


class Given(NamedTuple):
    """What a layer makes its codes from: it mixes and normalises as it reads them; see `NativeStep`."""

    codes: Tensor
    previous: Tensor | None = None
    moments: Tensor | None = None
    weight: Tensor | None = None
    shift: Tensor | None = None
    ahead: float = 1.0
    eps: float = 0.0


class Made(NamedTuple):
    """What the last layer left for the next."""

    codes: Tensor
    moments: Tensor | None
    previous: Tensor | None  # the codes before, as they came through the layer


class NativeLayers:
    """Layers with a one-sided threshold, in float32 on a CPU; see Note [Native step]."""

    def __init__(self, of: Unfolding) -> None:
        if of.two_sided:
            raise ValueError("two_sided must be False for native layers, got True")
        self.of = of
        # Taken apart at once: a gradient of one layer's share would be filled with zeros to that of all, and added.
        self.filters, self.biases = of.filters.unbind(), (-of.thresholds).unbind()
        self.last: Made | None = None

    def __call__(self, u: Tensor | Given | None, x: Tensor, number: int) -> Tensor:
        return self.pooled(u, x, number, 0)

    def pooled(self, u: Tensor | Given | None, x: Tensor, number: int, cells: int) -> Tensor:
        given = Given(u) if isinstance(u, Tensor) else u
        index, norm = number % len(self.filters), self.of.norm_before(number + 1)
        following = self.of.ahead[number + 1] if number + 1 < len(self.of.ahead) else 1.0
        # Of codes that a module of its own has normalised, the next cannot be mixed here.
        mixable = following == 1 or isinstance(u, Given)
        numbers = Numbers(
            self.of.margins,
            given.ahead if given is not None else 1.0,
            following if mixable else 1.0,
            given.eps if given is not None else 0.0,
            mixable and _is_usual(norm) and norm.training,
            cells,
        )
        tensors = (None,) * 5 if given is None else given[:5]
        self.last = Made(*NativeStep.apply(*tensors, x, self.filters[index], self.biases[index], numbers))
        return self.last.codes

    def image(self, x: Tensor) -> Tensor:
        return x

    def given(self, codes: Tensor, previous: Tensor, number: int) -> Tensor | Given:
        """Codes as the layer before made them, to be mixed and normalised by the next; else by modules of their own."""
        norm, ahead, last = self.of.norm_before(number), self.of.ahead[number], self.last
        assert last is not None
        before = None if ahead == 1 else last.previous
        mixable = codes is last.codes and (ahead == 1 or before is not None)
        if norm is None and mixable:
            return Given(codes, before, ahead=ahead)
        if not (mixable and _is_usual(norm) and (last.moments is not None or not norm.training)):
            mixed = self.of.mixed(codes, previous, number)
            return mixed if norm is None else norm(mixed)
        moments = _running(norm) if last.moments is None else last.moments
        if norm.training:
            _track(norm, moments, codes.numel() / codes.shape[1])
        return Given(codes, before, moments, norm.weight, norm.bias, ahead, norm.eps)


def is_native(
    x: Tensor,
    dtype: torch.dtype,
    patch: Patch,
    code_size: Patch,
    say: Callable[[str], None] | None = None,
) -> bool:
    """Whether native layers can have images or codes like x: float32 on a CPU, patches up to 11x11, codes from 8x8.

    `dtype` is that of the filters; `say` is told if the kernels must be compiled first.
    """
    return (
        x.device.type == "cpu"
        and x.dtype == dtype == torch.float32
        and len(patch) == 2
        and max(patch) <= LARGEST
        and min(code_size) >= SHORTEST
        and not torch.jit.is_tracing()  # type: ignore[attr-defined]
        and kernels(say) is not None
    )


def _is_usual(norm: nn.Module | None) -> TypeGuard[CodeBatchNorm]:
    """Whether a normalisation is ours, with running statistics in float32, and nobody wants to see what it does."""
    if not isinstance(norm, CodeBatchNorm) or norm.running_mean is None or norm.running_mean.dtype != torch.float32:
        return False
    hooks = norm._forward_hooks, norm._forward_pre_hooks, norm._backward_hooks, norm._backward_pre_hooks
    return norm.momentum is not None and norm.track_running_stats and norm.affine and not any(hooks)


def _running(norm: CodeBatchNorm) -> Tensor:
    assert norm.running_mean is not None
    assert norm.running_var is not None
    return torch.stack([norm.running_mean, norm.running_var]).double()


def _track(norm: CodeBatchNorm, moments: Tensor, count: float) -> None:
    """One call: a handful of torch's operations on so few numbers takes a percent of a step, for each layer."""
    library = kernels()
    assert library is not None
    assert norm.momentum is not None
    tensors = moments, norm.running_mean, norm.running_var, norm.num_batches_tracked
    pointers = (c_void_p(each.data_ptr()) for each in tensors if each is not None)
    library.track(*pointers, c_long(norm.num_features), c_double(norm.momentum), c_double(count / (count - 1)))
