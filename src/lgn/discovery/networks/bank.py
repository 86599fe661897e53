"""The bank that is inspected: filters about their common centre, without their means, of unit norm."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

DEAD = 1e-3  # of the median norm: what training has left of a filter that it gave up
FLAT = 1e-2  # of a filter's norm: less than this varies over place
SMALLEST = 3  # pixels: below this there is no place to speak of

# Note [Means and norms say nothing about place]
# A constant filter is its own copy under every turn and flip, and filters that share a constant part look alike for
# that reason alone. So each channel of each filter loses its mean, and what is left has unit norm: how strong a filter
# is, and how much of it is constant, are no matter of symmetry. Dead filters, and those that are constant, are noise
# once they are scaled up: they are left out, and counted.

# Note [The centre of a bank]
# Turns and flips need a point to be about, and a kernel's own middle need not be it: a 7x7 kernel with stride 2 often
# leaves its last row and column unused, and about its middle every flip then looks broken. The centre is that of the
# energy of all filters, rounded so that a square about it lies on pixels: to whole pixels along both axes, or to half
# ones along both. The energy alone chooses: it is the same for a bank with twins and for one whose filters were turned
# each by itself, so nothing is claimed by having looked.


@dataclass(frozen=True, eq=False)
class Bank:
    """Unit filters about their centre, and what became of the others."""

    #: (filters, channels, n, m), float64: each channel without its mean, each filter of unit norm.
    filters: Tensor
    #: Which filter of the given bank each is, (filters,).
    numbers: Tensor
    #: Filters that were left out: those without weights, and those that are the same everywhere.
    dead: tuple[int, ...]
    flat: tuple[int, ...]
    #: How far the centre of energy is from the middle of the kernel, in pixels: down, right.
    off_centre: tuple[float, float]
    #: The rows and columns that are inspected, first and last, counted from 0.
    window: tuple[int, int, int, int]


def prepare(weights: Tensor) -> Bank:
    """The filters of a convolution as they are compared; see the two notes of `lgn.discovery.networks.bank`.

    Shapes: (filters, channels, n, m)
    """
    _require_bank(weights)
    given = weights.detach().cpu().double()
    norms = given.flatten(1).norm(dim=1)
    alive = norms > DEAD * (norms[norms > 0].median() if (norms > 0).any() else 1.0)
    offset = _centre_of_energy(given[alive]) if alive.any() else (0.0, 0.0)
    top, bottom, left, right = _window(given.shape[-2:], offset)
    cropped = given[:, :, top : bottom + 1, left : right + 1]
    varying = cropped - cropped.mean((-2, -1), keepdim=True)
    flat = alive & (varying.flatten(1).norm(dim=1) <= FLAT * norms)
    kept = (alive & ~flat).nonzero().flatten()
    return Bank(
        F.normalize(varying[kept].flatten(1), dim=1).reshape(varying[kept].shape),
        kept,
        tuple((~alive).nonzero().flatten().tolist()),
        tuple(flat.nonzero().flatten().tolist()),
        offset,
        (top, bottom, left, right),
    )


def _require_bank(weights: Tensor) -> None:
    if weights.ndim != 4:
        raise ValueError(f"bank must be (filters, channels, n, m), got shape {tuple(weights.shape)}")
    if not weights.is_floating_point():
        raise ValueError(f"bank must be of a floating type, got {weights.dtype}")
    if min(weights.shape[-2:]) < SMALLEST:
        raise ValueError(
            f"bank must have kernels of at least {SMALLEST}x{SMALLEST}, got {weights.shape[-2]}x{weights.shape[-1]}"
        )
    if weights.shape[0] < 1 or weights.shape[1] < 1:
        raise ValueError(f"bank must have filters and channels, got shape {tuple(weights.shape)}")
    if not torch.isfinite(weights).all():
        raise ValueError("bank must be finite, got infinities or NaN")


def _centre_of_energy(filters: Tensor) -> tuple[float, float]:
    """Of unit filters, so that no strong one decides alone: from the middle of the kernel, in pixels."""
    unit = F.normalize(filters.flatten(1), dim=1).reshape(filters.shape)
    energy = unit.square().sum((0, 1))
    places = (torch.arange(size, dtype=torch.float64) - (size - 1) / 2 for size in energy.shape)
    down, right = ((energy.sum(1 - axis) * place).sum() / energy.sum() for axis, place in enumerate(places))
    return float(down), float(right)


def _window(size: tuple[int, ...], offset: tuple[float, float]) -> tuple[int, int, int, int]:
    """The largest window about the rounded centre; square for square kernels. See Note [The centre of a bank]."""
    halves = [round(2 * each) for each in offset]
    if size[0] == size[1] and (halves[0] - halves[1]) % 2:  # one axis on pixels, one between them: no square
        axis = max(range(2), key=lambda each: abs(2 * offset[each] - halves[each]))
        halves[axis] += 1 if 2 * offset[axis] > halves[axis] else -1
    # What would leave less than can be inspected stays as it is.
    halves = [
        half if each - abs(half) >= SMALLEST else (half % 2 if each > SMALLEST else 0)
        for half, each in zip(halves, size, strict=True)
    ]
    if size[0] == size[1]:
        cut = max(map(abs, halves))
        extents = [(half + cut) // 2 for half in halves], [(cut - half) // 2 for half in halves]
    else:
        extents = [max(half, 0) for half in halves], [max(-half, 0) for half in halves]
    (top, left), (below, beside) = extents
    return top, size[0] - 1 - below, left, size[1] - 1 - beside
