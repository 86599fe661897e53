"""The layers of an unfolded encoder, `z' = S_b(u + S^T(x - S u))`, three ways: plain, fast and native.

They are equal up to rounding. *plain* is the expression itself, for GPUs, graphs and second derivatives, and the
reference of the other two; *fast* is PyTorch arranged for a CPU; *native* is compiled by the machine's own compiler.
"""

from collections.abc import Callable
from typing import Any, Literal, Protocol, TypeVar

from torch import Tensor

from lgn.nn.kernels.fast import FastLayers
from lgn.nn.kernels.native import NativeLayers
from lgn.nn.kernels.plain import PlainLayers, Unfolding

Kernel = Literal["native", "fast", "plain"]
U = TypeVar("U")


class Layers(Protocol[U]):
    """The layers of one encoder for one batch. `U` is the type of their input: codes, or the parts of codes."""

    def __call__(self, u: U | None, x: Tensor, number: int) -> Tensor:
        """The codes of a layer; u is None for the first layer, which begins at z = 0."""

    def pooled(self, u: U | None, x: Tensor, number: int, cells: int) -> Tensor:
        """The codes of the last layer, averaged over a grid of `cells x cells`."""

    def image(self, x: Tensor) -> Tensor:
        """The image in the memory layout of these layers."""

    def layer_input(self, codes: Tensor, previous: Tensor, number: int) -> U:
        """The input of a layer from the codes of the two layers before it, with momentum and normalisation."""


KERNELS: dict[Kernel, Callable[[Unfolding], Layers[Any]]] = {
    "native": NativeLayers,
    "fast": FastLayers,
    "plain": PlainLayers,
}
