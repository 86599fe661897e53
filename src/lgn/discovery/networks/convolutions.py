"""The convolutions of a model: their names and weights, and the reasons why some are not inspected."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.modules.conv import _ConvNd

from lgn.discovery.networks.filter_bank import SMALLEST
from lgn.nn import FreeBank, OrbitBank, OrbitConv2d
from lgn.nn.layers import GroupConv


class Convolution(NamedTuple):
    """A convolution with its weights (filters, channels, n, m), None if they are not available."""

    name: str
    shape: tuple[int, ...]
    weight: Tensor | None
    #: Why the convolution is not inspected; empty if it is.
    reason: str = ""


def convolution(name: str, weight: Tensor) -> Convolution:
    """The convolution with these weights."""
    if weight.is_meta:
        return Convolution(name, tuple(weight.shape), None, "weights on the device meta have no values")
    return Convolution(name, tuple(weight.shape), weight.detach(), _reason(weight))


def convolutions_of(model: nn.Module) -> Iterator[Convolution]:
    """The convolutions of a torch model, with group layers and unfolded encoders of `lgn`."""
    inside: set[int] = set()
    for name, module in model.named_modules():
        name = name or type(module).__name__
        if isinstance(module, GroupConv):
            inside.add(id(module.bank))
            yield convolution(name, module.filters())
        elif isinstance(module, OrbitConv2d):
            yield convolution(name, module.filters())
        elif isinstance(module, OrbitBank) and id(module) not in inside:
            for layer, filters in enumerate(module().unflatten(0, (module.num_layers, -1)), 1):
                yield convolution(f"{name}, layer {layer}" if module.num_layers > 1 else name, filters)
        elif isinstance(module, FreeBank):
            yield convolution(name, module())
        elif isinstance(module, _ConvNd):
            yield convolution(name, module.weight)


def inspected(convolutions: Iterable[Convolution]) -> dict[str, Tensor]:
    """The weights of the convolutions that are inspected, by name."""
    return {layer.name: layer.weight for layer in convolutions if layer.weight is not None and not layer.reason}


def following(convolutions: Sequence[Convolution]) -> dict[str, tuple[str, Tensor]]:
    """The name and the weights of the layer that may take the output of a layer, as far as their sizes tell."""
    known = [
        (layer.name, layer.weight) for layer in convolutions if layer.weight is not None and layer.weight.ndim == 4
    ]
    return {
        first: (second, weight)
        for (first, before), (second, weight) in pairwise(known)
        if weight.shape[1] == before.shape[0] and weight.is_floating_point()
    }


def _reason(weight: Tensor) -> str:
    if weight.ndim != 4:
        return f"kernels must have 2 axes, got {weight.ndim - 2}"
    if not weight.is_floating_point():
        return f"weights must be floating-point numbers, got {str(weight.dtype).removeprefix('torch.')}"
    if min(weight.shape[-2:]) < SMALLEST:
        return f"kernels must be at least {SMALLEST}x{SMALLEST}, got {weight.shape[-2]}x{weight.shape[-1]}"
    return "" if torch.isfinite(weight).all() else "weights must be finite, got infinities or NaN"
