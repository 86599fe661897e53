"""`inspect`: the banks of a bank, a model or a file, and what they have."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any, overload

from torch import Tensor, nn

from lgn.discovery.networks.convolutions import Convolutions, convolutions_of
from lgn.discovery.networks.deeper import MOST, Carried, carried
from lgn.discovery.networks.files import read_convolutions
from lgn.discovery.networks.inspect_bank import inspect_bank
from lgn.discovery.networks.result import BankInspection, describe
from lgn.files import encode


@dataclass(frozen=True)
class Inspection:
    """The convolutions of a network: what those with space have, and why others were left alone."""

    source: str
    layers: tuple[BankInspection, ...]
    left_alone: dict[str, str]
    #: What goes on from one layer to the next, for the layers that follow each other.
    deeper: tuple[Carried, ...]

    def layer(self, name: str) -> BankInspection:
        """The inspection of one convolution."""
        for each in self.layers:
            if each.name == name:
                return each
        raise ValueError(f"layer must be one of {', '.join(each.name for each in self.layers)}, got {name!r}")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {**encode(self), "layers": [each.to_dict() for each in self.layers]}

    def __str__(self) -> str:
        return "\n\n".join(describe(each) for each in self.layers)


@overload
def inspect(
    source: Tensor, layer: str | None = None, *, seed: int = 0, progress: Callable[[str], None] = ...
) -> BankInspection: ...


@overload
def inspect(
    source: nn.Module | str | PathLike[str],
    layer: str | None = None,
    *,
    seed: int = 0,
    progress: Callable[[str], None] = ...,
) -> Inspection: ...


def inspect(
    source: Tensor | nn.Module | str | PathLike[str],
    layer: str | None = None,
    *,
    seed: int = 0,
    progress: Callable[[str], None] = lambda _: None,
) -> BankInspection | Inspection:
    """Say which turns, flips and other transformations the filters of a network have, though nobody made it so.

    source: a bank (filters, channels, n, m); or a model, or a file (ONNX, safetensors, torch weights), of which every
    convolution with kernels of at least 3x3 is inspected, or `layer` alone. No code in a file is run.
    """
    if isinstance(source, Tensor):
        return inspect_bank(source, layer or "bank", seed=seed)
    if isinstance(source, nn.Module):
        return inspect_convolutions(convolutions_of(source), type(source).__name__, layer, seed, progress)
    return inspect_convolutions(read_convolutions(Path(source)), Path(source).name, layer, seed, progress)


def inspect_convolutions(
    found: Convolutions,
    source: str,
    layer: str | None = None,
    seed: int = 0,
    progress: Callable[[str], None] = lambda _: None,
) -> Inspection:
    """The inspection of convolutions that were found, of all or of one."""
    if layer is not None and layer in found.left_alone:
        raise ValueError(f"layer {layer!r} cannot be inspected: {found.left_alone[layer]}")
    if layer is not None and layer not in found.banks:
        raise ValueError(f"layer must be one of {', '.join(found.banks) or 'none'}, got {layer!r}")
    if not found.banks:
        reasons = "; ".join(f"{name}: {why}" for name, why in list(found.left_alone.items())[:3])
        raise ValueError(f"{source} must have a convolution that can be inspected, got none ({reasons})")
    chosen = list(found.banks) if layer is None else [layer]
    layers: list[BankInspection] = []
    deeper: list[Carried] = []
    for name in chosen:
        progress(f"{name} {'x'.join(map(str, found.shapes[name]))}")
        layers.append(inspect_bank(found.banks[name], name, seed=seed))
    for first, second in _following(found):
        if first in chosen and layers[chosen.index(first)].filters > 1:
            progress(f"{first} to {second}")
            deeper += carried(found.banks[first], found.weights[second], (first, second), seed=seed)
    return Inspection(source, tuple(layers), found.left_alone, tuple(deeper))


def _following(found: Convolutions) -> list[tuple[str, str]]:
    """Pairs of layers of which the second takes what the first gives, as far as their sizes tell."""
    names = list(found.weights)
    return [
        (first, second)
        for first, second in pairwise(names)
        if first in found.banks
        and found.weights[second].shape[1] == found.weights[first].shape[0]
        and max(found.weights[first].shape[0], found.weights[second].shape[0]) <= MOST
        and found.weights[second].is_floating_point()
    ]
