"""The layers of an unfolded encoder, `z' = S_b(u + S^T(x - S u))`, three ways: plain, fast and native.

They are equal up to rounding. *plain* is the expression itself, for GPUs, graphs, second derivatives and as the
oracle of the others; *fast* is PyTorch arranged for a CPU; *native* is compiled by the machine's own compiler.
"""

from collections.abc import Callable
from typing import Any, Literal, Protocol, TypeVar

from torch import Tensor, nn

from lgn.nn.kernels.adjoint import Margins
from lgn.nn.kernels.fast import FastLayers
from lgn.nn.kernels.native import NativeLayers
from lgn.nn.kernels.plain import PlainLayers

Kernel = Literal["native", "fast", "plain"]
U = TypeVar("U")


class Layers(Protocol[U]):
    """The layers of one encoder, for one batch. `U` is what they hand on to each other: codes, or codes to be."""

    def __call__(self, u: U | None, x: Tensor, number: int) -> Tensor:
        """The codes of a layer; u is None for the first, whose codes are of z = 0."""

    def image(self, x: Tensor) -> Tensor:
        """The image in the layout that these layers want."""

    def following(self, codes: Tensor, norm: nn.Module | None) -> U:
        """What the next layer is given: codes, normalised where there is a norm."""


KERNELS: dict[Kernel, Callable[[Tensor, Tensor, bool, Margins], Layers[Any]]] = {
    "native": NativeLayers,
    "fast": FastLayers,
    "plain": PlainLayers,
}


def layers_of(kernel: Kernel, filters: Tensor, thresholds: Tensor, two_sided: bool, margins: Margins) -> Layers[Any]:
    """The layers of a kernel. `filters` and the image carry the root of the step, `thresholds` the step.

    Shapes: filters (layers or 1, F, C, n, m), thresholds (layers or 1, F)
    """
    return KERNELS[kernel](filters, thresholds, two_sided, margins)
