"""The convolutions of a model: their names, their weights, and the reasons why weights are not inspected."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from torch import Tensor, nn
from torch.nn.modules.conv import _ConvNd

from lgn.discovery.networks.filter_bank import objection
from lgn.nn import FreeBank, OrbitBank, OrbitConv2d
from lgn.nn.layers import GroupConv


class Convolution(NamedTuple):
    """A convolution with its weights (filters, channels, n, m), None if they are not available."""

    name: str
    weight: Tensor | None
    #: The reason why the weights are not inspected, such as "must have values"; empty if they are inspected.
    reason: str = ""


def convolution(name: str, weight: Tensor) -> Convolution:
    """The convolution with these weights; a suffix ".weight" of the name is removed."""
    name = name.removesuffix(".weight")
    if weight.is_meta:
        return Convolution(name, None, "must have values, got the device meta")
    return Convolution(name, weight.detach(), objection(weight))


def convolutions_of(model: nn.Module) -> Iterator[Convolution]:
    """The convolutions of a model, with the group layers and unfolded encoders of `lgn`."""
    seen: set[int] = set()
    for name, module in model.named_modules():
        name = name or type(module).__name__
        if isinstance(module, GroupConv | OrbitConv2d):
            seen.add(id(getattr(module, "bank", None)))
            yield convolution(name, module.filters())
        elif isinstance(module, OrbitBank) and id(module) not in seen:
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
    """The next layer, as name and weights, for every layer whose filters fit the channels of the next one."""
    known = [(name, weight) for name, weight, _ in convolutions if weight is not None and weight.ndim == 4]
    return {
        first: (second, weight)
        for (first, before), (second, weight) in pairwise(known)
        if weight.shape[1] == before.shape[0] and weight.is_floating_point()
    }
