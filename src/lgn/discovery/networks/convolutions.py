"""The convolutions of a model: their filters by name, and why others are not inspected."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn
from torch.nn.modules.conv import _ConvNd

from lgn.discovery.networks.bank import SMALLEST
from lgn.nn import FreeBank, OrbitBank, OrbitConv2d
from lgn.nn.layers import GroupConv


@dataclass(frozen=True, eq=False)
class Convolution:
    """One convolution: its name and weights, (filters, channels, n, m); or why they cannot be had."""

    name: str
    shape: tuple[int, ...]
    weight: Tensor | None
    reason: str = ""


@dataclass
class Convolutions:
    """All convolutions of a network in their order: those with banks to inspect, and why the others are left alone."""

    banks: dict[str, Tensor] = field(default_factory=dict)
    left_alone: dict[str, str] = field(default_factory=dict)
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    #: Weights of two dimensions of place, of any size: what lies between banks.
    weights: dict[str, Tensor] = field(default_factory=dict)

    def add(self, found: Convolution) -> None:
        self.shapes[found.name] = found.shape
        if reason := found.reason or _reason(found):
            self.left_alone[found.name] = reason
        elif found.weight is not None:
            self.banks[found.name] = found.weight
        if found.weight is not None and found.weight.ndim == 4:
            self.weights[found.name] = found.weight


def convolutions_of(model: nn.Module) -> Convolutions:
    """The convolutions of any torch model, group layers and unfolded encoders of `lgn` included."""
    found = Convolutions()
    for each in _of_modules(model):
        found.add(each)
    return found


def _of_modules(model: nn.Module) -> Iterator[Convolution]:
    inside: set[int] = set()
    for name, module in model.named_modules():
        name = name or type(module).__name__
        if isinstance(module, GroupConv):
            inside.add(id(module.bank))
            yield _convolution(name, module.filters())
        elif isinstance(module, OrbitConv2d):
            yield _convolution(name, module.filters())
        elif isinstance(module, OrbitBank) and id(module) not in inside:
            for layer, filters in enumerate(module().unflatten(0, (module.num_layers, -1)), 1):
                yield _convolution(f"{name}, layer {layer}" if module.num_layers > 1 else name, filters)
        elif isinstance(module, FreeBank):
            yield _convolution(name, module())
        elif isinstance(module, _ConvNd):
            yield _convolution(name, module.weight)


def _convolution(name: str, weight: Tensor) -> Convolution:
    if weight.is_meta:
        return Convolution(name, tuple(weight.shape), None, "it is on meta, without values")
    return Convolution(name, tuple(weight.shape), weight.detach().cpu())


def _reason(found: Convolution) -> str | None:
    """Why a bank is left alone, or None."""
    weight = found.weight
    if weight is None:
        return "its weights are not in the file"
    if weight.ndim != 4:
        return f"it has {weight.ndim - 2} dimensions of place, and two are inspected"
    if not weight.is_floating_point():
        return f"its weights are {str(weight.dtype).removeprefix('torch.')}: rounded weights are not compared"
    if min(weight.shape[-2:]) < SMALLEST:
        return f"its kernels of {weight.shape[-2]}x{weight.shape[-1]} are smaller than {SMALLEST}x{SMALLEST}"
    if not torch.isfinite(weight).all():
        return "it has infinite or undefined weights"
    return None
