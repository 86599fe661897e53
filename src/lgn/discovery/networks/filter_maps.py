"""The transformations under which filters are compared, with their powers."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import permutations
from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional as F

from lgn.groups import as_group
from lgn.transforms import Transformation, channel_permutation, find, symmetry_of_square
from lgn.transforms.channels import MOST_CHANNELS
from lgn.transforms.warps import scale

#: The symmetries of a square; element g is `lgn.transforms.symmetry_of_square(g)`.
SQUARE_GROUP = as_group("D4")
#: Its elements in the order of tests and rows: the identity, turns, flips, transpositions.
ELEMENTS = (0, 1, 2, 3, 4, 6, 5, 7)
#: The factor of the scaling.
FACTOR = 1.5
#: The smallest kernel that is scaled.
SMALLEST_SCALED = 5


@dataclass(frozen=True, eq=False)
class FilterMap:
    """A transformation T of filters with its powers.  (filters, channels, n, m) -> (filters, channels, n, m)"""

    transformation: Transformation
    kind: Literal["square", "sign", "channels", "line"]
    #: `T^k` for a T without an order; otherwise T is applied k times.
    line: Callable[[Tensor, int], Tensor] | None = None

    @property
    def order(self) -> int:
        """The smallest q with `T^q = I`, or 0."""
        return self.transformation.order or 0

    @property
    def element(self) -> int:
        """The element of the group of the square."""
        assert self.transformation.element is not None
        return self.transformation.element

    @property
    def is_inverse(self) -> bool:
        """Whether T is the inverse of another map, whose results it shares: the turn by 270 degrees."""
        return self.kind == "square" and self.element == 3

    def power(self, filters: Tensor, exponent: int) -> Tensor:
        """`T^exponent` of filters."""
        if self.line is not None:
            return self.line(filters, exponent)
        for _ in range(exponent):
            filters = self.transformation(filters)
        return filters

    def cosines(self, filters: Tensor) -> Tensor:
        """`K_k[i, j] = <T^k f_i, f_j>` of unit filters, for all powers of T, or for k = 0, 1, 2 if T has no order.

        A shift or a scaling moves values out of the kernel. They are lost, and the rest is scaled to unit norm.

        Shapes: (filters, channels, n, m) -> (powers, filters, filters)
        """
        moved = [F.normalize(self.power(filters, k).flatten(1), dim=1) for k in range(self.order or 3)]
        return torch.stack(moved) @ filters.flatten(1).T


def exchanges_axes(element: int) -> bool:
    """Whether an element of the group of the square exchanges rows and columns, which requires square kernels."""
    return element % 2 == 1


def symmetries_of(patch: tuple[int, int]) -> list[FilterMap]:
    """The symmetries of a kernel of this size, without the identity."""
    return [
        FilterMap(symmetry_of_square(element), "square")
        for element in ELEMENTS[1:]
        if patch[0] == patch[1] or not exchanges_axes(element)
    ]


def maps_for(channels: int, patch: tuple[int, int]) -> list[FilterMap]:
    """All transformations under which filters of this shape are compared."""
    maps = [*symmetries_of(patch), FilterMap(_find("sign", "signals"), "sign")]
    if channels <= MOST_CHANNELS:
        for order in list(permutations(range(channels)))[1:]:
            inverse = tuple(order.index(channel) for channel in range(channels))
            if order <= inverse:
                maps.append(FilterMap(channel_permutation(inverse), "channels"))
    lines = {"shift 1 down": partial(_shift, down=1, right=0), "shift 1 right": partial(_shift, down=0, right=1)}
    maps += [FilterMap(_find(name), "line", line) for name, line in lines.items()]
    if min(patch) >= SMALLEST_SCALED:
        maps.append(FilterMap(_find(f"scaling {FACTOR:.2f}"), "line", _scale))
    return maps


def _find(name: str, space: str = "images") -> Transformation:
    transformation = find(name, space)
    assert transformation is not None, name
    return transformation


def _shift(filters: Tensor, exponent: int, down: int, right: int) -> Tensor:
    """The shifted filters, filled with zeros, without the mean of each channel."""
    n, m = filters.shape[-2:]
    moved = F.pad(filters, (right * exponent, 0, down * exponent, 0))[..., :n, :m]
    return moved - moved.mean((-2, -1), keepdim=True)


def _scale(filters: Tensor, exponent: int) -> Tensor:
    scaled = scale(filters, FACTOR**exponent)
    return scaled - scaled.mean((-2, -1), keepdim=True)
