"""Balance: whether the distribution of filters is the same after T, although no filter is a copy of another."""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from lgn.answer import Verdict
from lgn.discovery.networks.copies import LEVEL

#: A distribution is called broken from this multiple of the value by chance.
LARGE = 1.5
#: For kernels with more pixels, a table of all pairs of pairs of pixels would be too large.
MANY_PIXELS = 49
#: The largest rho of a kept T, relative to operators that keep smoothness.
STRICTER = 2 / 3

# Note [Balance needs a reference]
# `rho_T = sum_ij (K_I^2 - K_T^2) / sum_i (1 - K_T[i, i]^2)` is half the squared distance between the second moment of
# the filters and its image under T, relative to filters that are transformed independently. By chance it is 1; it is
# smaller if T f_i has more similar filters than by chance, and large if T changes the distribution.
# Every flip nearly preserves the second moment of smooth filters. So T is compared with operators that preserve as
# much: smoothness (a random sign for every cosine in the kernel, after exchanging rows and columns if T does), and the
# energy at each distance from the centre (random permutations of pixels within rings).
# Kept: rho_T is below nearly all values of both kinds of operators, at most two thirds of the median for smoothness,
# and not above the values for twists. Broken: rho_T is above the values for twists, and at least 1.5. Undecided
# otherwise: the filters do not distinguish T from any other operator.


class Balance(NamedTuple):
    """rho_T, the medians of its references, and two p-values."""

    rho: float
    smooth_reference: float
    ring_reference: float
    #: The p-value against references that are as small (the larger of both kinds), and against twists as large.
    p_kept: float
    p_broken: float

    @property
    def verdict(self) -> Verdict:
        """The verdict on T, after the p-values were corrected for all questions."""
        if self.p_broken <= LEVEL:
            return "broken" if self.rho >= LARGE else "undecided"
        return "kept" if self.p_kept <= LEVEL and self.rho <= STRICTER * self.smooth_reference else "undecided"


def balance(cosines: Tensor, exponents: Tensor, order: int, smooth: Tensor, rings: Tensor) -> Balance:
    """How balanced a bank is under T; see Note [Balance needs a reference].

    Shapes: (powers, filters, filters), (twists, filters) with the bank itself first; the references (draws,) each
    """
    squares = cosines.square()
    # sum_ij of `K[h_i - h_j]^2 - K[1 + h_i - h_j]^2`, a quadratic form in the indicators of exponents.
    changes = squares - squares.roll(-1, 0)  # (powers, filters, filters)
    has = [(exponents == power).double() for power in range(order)]  # (twists, filters) each
    broken = sum(((has[a] @ changes[(a - b) % order]) * has[b]).sum(1) for a in range(order) for b in range(order))
    # Powers of T commute, so a twist does not change how similar a filter is to its own image.
    twisted = torch.as_tensor(broken) / (1 - cosines[1].diagonal().square()).sum().clamp_min(1e-9)
    below = max(float((1 + (null <= twisted[0]).sum()) / (1 + len(null))) for null in (smooth, rings))
    above = float((twisted >= twisted[0] - 1e-9).double().mean())
    return Balance(float(twisted[0]), float(smooth.median()), float(rings.median()), below, above)


def references(filters: Tensor, draws: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """rho of random operators: those that preserve smoothness, these after exchanging axes, and those within rings.

    Shapes: (filters, channels, n, m) -> (draws,) each
    """
    n, m = filters.shape[-2:]
    plain = (filters.flatten(1) @ filters.flatten(1).T).square().sum()
    waves = cosine_basis(n, m)
    spectra = filters.flatten(2) @ waves.T  # (filters, channels, frequencies)
    exchanged = filters.mT.flatten(2) @ waves.T if n == m else spectra
    signs = random_signs(draws, n * m, generator)
    rings = _rho_of_permutations(filters.flatten(2), _ring_permutations((n, m), draws, generator), plain)
    return _rho_of_signs(spectra, spectra, signs, plain), _rho_of_signs(exchanged, spectra, signs, plain), rings


def _rho_of_signs(moved: Tensor, spectra: Tensor, signs: Tensor, plain: Tensor) -> Tensor:
    """rho of `Q f = sum_a q_a moved_a` with equal signs q in all channels: quadratic forms in q.

    Shapes: (filters, channels, frequencies) twice, (draws, frequencies) -> (draws,)
    """
    likeness = torch.einsum("ica,jca->aij", moved, spectra)
    squares = likeness.flatten(1) @ likeness.flatten(1).T  # (frequencies, frequencies)
    own = signs @ likeness.diagonal(dim1=1, dim2=2)  # (draws, filters)
    return (plain - ((signs @ squares) * signs).sum(1)) / (1 - own.square()).sum(1).clamp_min(1e-9)


def _rho_of_permutations(pixels: Tensor, orders: Tensor, plain: Tensor) -> Tensor:
    """rho of permutations of pixels, from the second moment of filters.

    Shapes: (filters, channels, pixels), (draws, pixels) -> (draws,)
    """
    channels, count = pixels.shape[1:]
    moment = (pixels.flatten(1).T @ pixels.flatten(1)).view(channels, count, channels, count)
    by_pixels = moment.permute(1, 3, 0, 2).reshape(count**2, channels**2)
    pairs = orders[:, :, None] * count + orders[:, None, :]  # (draws, pixels, pixels)
    if count <= MANY_PIXELS:
        table = by_pixels @ by_pixels.T
        squares = table[pairs.flatten(1), torch.arange(count**2)].sum(1)
    else:
        squares = torch.stack([(by_pixels[moved.flatten()] * by_pixels).sum() for moved in pairs])
    likeness = torch.einsum("icp,icq->ipq", pixels, pixels)
    own = torch.stack([likeness[:, order, torch.arange(count)].sum(1) for order in orders])
    return (plain - squares) / (1 - own.square()).sum(1).clamp_min(1e-9)


def cosine_basis(n: int, m: int) -> Tensor:
    """The cosines on a kernel; rows are frequencies, columns are row-major pixels.  (n m, n m)"""
    return torch.kron(_cosines(n), _cosines(m))


def random_signs(draws: int, frequencies: int, generator: torch.Generator) -> Tensor:
    """Signs of the cosines: operators that keep the smoothness of a filter.  (draws, frequencies)"""
    return torch.randint(0, 2, (draws, frequencies), generator=generator).double().mul(2).sub(1)


def _cosines(size: int) -> Tensor:
    """The orthonormal cosines (DCT-II).  (frequencies, places)"""
    place = torch.arange(size, dtype=torch.float64) + 0.5
    rows = torch.cos(math.pi * torch.arange(size, dtype=torch.float64)[:, None] * place / size)
    return rows / rows.norm(dim=1, keepdim=True)


def _ring_permutations(patch: tuple[int, int], draws: int, generator: torch.Generator) -> Tensor:
    """Permutations of row-major pixels that keep the distance from the centre.  (draws, n m)"""
    down, right = (2 * torch.arange(size) - size + 1 for size in patch)
    rings = (down[:, None] ** 2 + right**2).flatten()
    # Pixels sorted by ring, and in random order within a ring: the k-th pixel of a ring moves to the k-th place of it.
    places = rings.argsort(stable=True)
    shuffled = (rings + torch.rand(draws, len(rings), generator=generator) * 0.5).argsort(1)
    orders = torch.empty_like(shuffled)
    return orders.scatter_(1, places.expand(draws, -1), shuffled)
