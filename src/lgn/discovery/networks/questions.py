"""The transformations that filters are asked about, with their powers."""

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
#: The factor of the scaling: within one octave.
FACTOR = 1.5
#: The smallest kernel that is scaled.
SMALLEST_SCALED = 5


@dataclass(frozen=True, eq=False)
class Question:
    """A transformation T of filters (filters, channels, n, m) -> the same, with its powers."""

    transformation: Transformation
    kind: Literal["square", "sign", "channels", "line"]
    #: `T^k` for a T without an order; otherwise T is applied k times.
    along: Callable[[Tensor, int], Tensor] | None = None

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
    def repeats(self) -> bool:
        """Whether T is the inverse of another transformation: both have the same answer."""
        return self.kind == "square" and self.element == 3

    def power(self, filters: Tensor, exponent: int) -> Tensor:
        """`T^exponent` of filters."""
        if self.along is not None:
            return self.along(filters, exponent)
        for _ in range(exponent):
            filters = self.transformation(filters)
        return filters

    def cosines(self, filters: Tensor) -> Tensor:
        """`K_k[i, j] = <T^k f_i, f_j>` of unit filters, for all powers of T, or for k = 0, 1, 2 if T has no order.

        Values that a shift or a scaling moves out of the kernel are lost, and the rest is scaled to unit norm.

        Shapes: (filters, channels, n, m) -> (powers, filters, filters)
        """
        moved = [F.normalize(self.power(filters, k).flatten(1), dim=1) for k in range(self.order or 3)]
        return torch.stack(moved) @ filters.flatten(1).T


def exchanges_axes(element: int) -> bool:
    """Whether an element of the group of the square turns rows into columns, which only square kernels allow."""
    return element % 2 == 1


def symmetries_of(patch: tuple[int, int]) -> list[Question]:
    """The symmetries of a kernel of this size, without the identity."""
    return [
        Question(symmetry_of_square(element), "square")
        for element in ELEMENTS[1:]
        if patch[0] == patch[1] or not exchanges_axes(element)
    ]


def questions_for(channels: int, patch: tuple[int, int]) -> list[Question]:
    """All questions about filters of this shape."""
    asked = symmetries_of(patch)
    asked.append(Question(_known("sign", "signals"), "sign"))
    if 1 < channels <= MOST_CHANNELS:
        orders = list(permutations(range(channels)))[1:]
        inverses = [tuple(order.index(place) for place in range(channels)) for order in orders]
        pairs = zip(orders, inverses, strict=True)
        asked += [Question(channel_permutation(inverse), "channels") for order, inverse in pairs if order <= inverse]
    asked.append(Question(_known("shift 1 down"), "line", partial(_shift, down=1, right=0)))
    asked.append(Question(_known("shift 1 right"), "line", partial(_shift, down=0, right=1)))
    if min(patch) >= SMALLEST_SCALED:
        asked.append(Question(_known(f"scaling {FACTOR:.2f}"), "line", _scale))
    return asked


def _known(name: str, space: str = "images") -> Transformation:
    found = find(name, space)
    assert found is not None, name
    return found


def _shift(filters: Tensor, exponent: int, down: int, right: int) -> Tensor:
    """Zeros enter, and the mean of each channel is subtracted again."""
    n, m = filters.shape[-2:]
    moved = F.pad(filters, (right * exponent, 0, down * exponent, 0))[..., :n, :m]
    return moved - moved.mean((-2, -1), keepdim=True)


def _scale(filters: Tensor, exponent: int) -> Tensor:
    scaled = scale(filters, FACTOR**exponent)
    return scaled - scaled.mean((-2, -1), keepdim=True)
