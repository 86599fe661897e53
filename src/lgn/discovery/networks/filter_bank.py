"""The filters of a convolution, prepared for comparison: about their common centre, without means, of unit norm."""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from lgn.linalg import double

#: Filters with a norm below this share of the median norm are dead.
DEAD = 1e-3
#: Filters that vary by less than this share of their norm are constant.
FLAT = 1e-2
#: The smallest side of a kernel that is inspected.
SMALLEST = 3

# Note [Means and norms]
# A constant filter is its own copy under every turn and flip, and a common constant part makes filters alike. So the
# mean of each channel is subtracted, and the rest is scaled to unit norm. Dead and constant filters would be scaled
# noise: they are left out.

# Note [The centre of a bank]
# The middle of the kernel need not be the centre of the filters: a 7x7 kernel with stride 2 often leaves its last row
# and column unused, and then every flip about the middle looks broken. The centre is the centre of the energy of all
# filters, rounded to whole pixels along both axes, or to half pixels along both axes, so that a square about it
# consists of pixels. The energy of copies and of independently turned filters is equal, so the tests are not biased.


class FilterBank(NamedTuple):
    """The compared filters of a convolution, and the filters that are left out."""

    #: (filters, channels, n, m), float64: no mean in any channel, and unit norm.
    filters: Tensor
    #: The number of each filter in the convolution, (filters,).
    numbers: Tensor
    #: The numbers of the filters that are left out: dead filters, and constant filters.
    dead: tuple[int, ...]
    flat: tuple[int, ...]
    #: The centre of energy relative to the middle of the kernel, in pixels: down, right.
    off_centre: tuple[float, float]
    #: The part of the kernel that is compared: its first and last row, first and last column.
    window: tuple[int, int, int, int]

    @property
    def patch(self) -> tuple[int, int]:
        """The size of the compared part of the kernel."""
        return self.filters.shape[-2], self.filters.shape[-1]


def make_bank(weights: Tensor) -> FilterBank:
    """Prepare the filters of a convolution for comparison; see Note [Means and norms] and Note [The centre of a bank].

    Shapes: (filters, channels, n, m)
    """
    if reason := objection(weights):
        raise ValueError(f"source {reason}")
    given = double(weights.detach()).cpu()
    norms = given.flatten(1).norm(dim=1)
    alive = norms > DEAD * (norms[norms > 0].median() if (norms > 0).any() else 1.0)
    offset = _centre_of_energy(given[alive]) if alive.any() else (0.0, 0.0)
    top, bottom, left, right = _window(given.shape[-2:], offset)
    cropped = given[:, :, top : bottom + 1, left : right + 1]
    varying = cropped - cropped.mean((-2, -1), keepdim=True)
    flat = alive & (varying.flatten(1).norm(dim=1) <= FLAT * norms)
    compared = (alive & ~flat).nonzero().flatten()
    return FilterBank(
        filters=F.normalize(varying[compared].flatten(1), dim=1).reshape(varying[compared].shape),
        numbers=compared,
        dead=tuple((~alive).nonzero().flatten().tolist()),
        flat=tuple(flat.nonzero().flatten().tolist()),
        off_centre=offset,
        window=(top, bottom, left, right),
    )


def objection(weights: Tensor) -> str:
    """The reason why weights cannot be compared, as the end of a sentence; empty if they can be compared."""
    shape = tuple(weights.shape)
    if weights.ndim != 4 or min(shape[:2]) < 1:
        return f"must have shape (filters, channels, n, m), got {shape}"
    if min(shape[2:]) < SMALLEST:
        return f"must have kernels of at least {SMALLEST}x{SMALLEST}, got {shape[2]}x{shape[3]}"
    if not weights.is_floating_point():
        return f"must be floating-point numbers, got {str(weights.dtype).removeprefix('torch.')}"
    return "" if double(weights).isfinite().all() else "must be finite, got infinities or NaN"


def _centre_of_energy(filters: Tensor) -> tuple[float, float]:
    """The centre relative to the middle of the kernel; filters have unit norm here, so that no filter dominates."""
    unit = F.normalize(filters.flatten(1), dim=1).reshape(filters.shape)
    energy = unit.square().sum((0, 1))
    places = (torch.arange(size, dtype=torch.float64) - (size - 1) / 2 for size in energy.shape)
    down, right = ((energy.sum(1 - axis) * place).sum() / energy.sum() for axis, place in enumerate(places))
    return float(down), float(right)


def _window(size: tuple[int, ...], offset: tuple[float, float]) -> tuple[int, int, int, int]:
    """The largest window about the rounded centre; square for square kernels."""
    halves = [round(2 * shift) for shift in offset]
    if size[0] == size[1] and (halves[0] - halves[1]) % 2:  # a square needs both axes on pixels, or both between them
        axis = max(range(2), key=lambda axis: abs(2 * offset[axis] - halves[axis]))
        halves[axis] += 1 if 2 * offset[axis] > halves[axis] else -1
    # A kernel is not cut below the smallest size.
    halves = [
        half if side - abs(half) >= SMALLEST else (half % 2 if side > SMALLEST else 0)
        for half, side in zip(halves, size, strict=True)
    ]
    cuts = [max(map(abs, halves))] * 2 if size[0] == size[1] else list(map(abs, halves))
    top, left = ((half + cut) // 2 for half, cut in zip(halves, cuts, strict=True))
    below, beyond = ((cut - half) // 2 for half, cut in zip(halves, cuts, strict=True))
    return top, size[0] - 1 - below, left, size[1] - 1 - beyond
