"""Balance: whether T preserves the distribution of filters, although no filter is a copy of another."""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from lgn.answer import Verdict
from lgn.discovery.networks.copies import LEVEL

#: The smallest rho of a broken T, relative to its value by chance.
LARGE = 1.5
#: The largest number of pixels for which a table of all pairs of pairs of pixels fits into memory.
MOST_PIXELS = 49
#: The largest rho of a kept T, relative to operators that keep smoothness.
STRICTER = 2 / 3

# Note [Balance needs a reference]
# `rho_T = sum_ij (K_I^2 - K_T^2) / sum_i (1 - K_T[i, i]^2)` is half the squared distance between the second moment of
# the filters and its image under T, relative to filters that are transformed independently. By chance it is 1; it is
# smaller if T f_i has more similar filters than by chance, and large if T changes the distribution.
# Every flip nearly preserves the second moment of smooth filters. So T is compared with two kinds of random operators.
# The first kind preserves smoothness: a random sign for every cosine on the kernel, after exchanging rows and columns
# if T does. The second kind preserves the energy at every distance from the centre: permutations of pixels in rings.
# Kept: rho_T is below nearly all values of both kinds of operators, at most two thirds of the median of the first kind,
# and not above the values for twists. Broken: rho_T is above the values for twists, and at least 1.5. Otherwise, T is
# undecided, because the filters do not distinguish it from other operators.


class Balance(NamedTuple):
    """rho_T, the medians of its references, and two p-values."""

    rho: float
    smooth_reference: float
    ring_reference: float
    #: The share of references that are as small as rho (the larger of both kinds), and of twists that are as large.
    p_kept: float
    p_broken: float

    @property
    def verdict(self) -> Verdict:
        """The verdict on T, from p-values that are corrected for all maps."""
        if self.p_broken <= LEVEL:
            return "broken" if self.rho >= LARGE else "undecided"
        return "kept" if self.p_kept <= LEVEL and self.rho <= STRICTER * self.smooth_reference else "undecided"


def measure_balance(cosines: Tensor, exponents: Tensor, order: int, smooth: Tensor, rings: Tensor) -> Balance:
    """The balance of a bank under T; see Note [Balance needs a reference].

    Shapes: cosines (powers, filters, filters); exponents of `twists` (twists, filters); smooth and rings (draws,)
    """
    squares = cosines.square()
    # sum_ij of `K[h_i - h_j]^2 - K[1 + h_i - h_j]^2`, a quadratic form in the indicators of exponents.
    changes = squares - squares.roll(-1, 0)  # (powers, filters, filters)
    is_power = [(exponents == power).double() for power in range(order)]  # (twists, filters)
    terms = [
        ((is_power[a] @ changes[(a - b) % order]) * is_power[b]).sum(1) for a in range(order) for b in range(order)
    ]
    # Powers of T commute, so a twist does not change how similar a filter is to its own image.
    twisted = torch.as_tensor(sum(terms)) / (1 - cosines[1].diagonal().square()).sum().clamp_min(1e-9)
    below = max(float((1 + (null <= twisted[0]).sum()) / (1 + len(null))) for null in (smooth, rings))
    above = float((twisted >= twisted[0] - 1e-9).double().mean())
    return Balance(float(twisted[0]), float(smooth.median()), float(rings.median()), below, above)


def references(filters: Tensor, draws: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """rho of random operators that preserve smoothness, without and with exchanged axes, and of permutations in rings.

    Shapes: (filters, channels, n, m) -> three times (draws,)
    """
    n, m = filters.shape[-2:]
    plain = (filters.flatten(1) @ filters.flatten(1).T).square().sum()
    spectra = cosine_coefficients(filters)
    exchanged = cosine_coefficients(filters.mT) if n == m else spectra
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
    if count <= MOST_PIXELS:
        table = by_pixels @ by_pixels.T
        squares = table[pairs.flatten(1), torch.arange(count**2)].sum(1)
    else:
        squares = torch.stack([(by_pixels[pair.flatten()] * by_pixels).sum() for pair in pairs])
    likeness = torch.einsum("icp,icq->ipq", pixels, pixels)
    own = torch.stack([likeness[:, order, torch.arange(count)].sum(1) for order in orders])
    return (plain - squares) / (1 - own.square()).sum(1).clamp_min(1e-9)


def cosine_coefficients(filters: Tensor) -> Tensor:
    """The filters in the basis of cosines.  (filters, channels, n, m) -> (filters, channels, frequencies)"""
    return filters.flatten(2) @ cosine_basis(*filters.shape[-2:]).T


def cosine_basis(n: int, m: int) -> Tensor:
    """The orthonormal cosines (DCT-II) on a kernel.  -> (n m frequencies, n m row-major pixels)"""
    from scipy.fft import dct

    return torch.kron(*(torch.from_numpy(dct(np.eye(size), axis=0, norm="ortho")) for size in (n, m)))


def random_signs(draws: int, frequencies: int, generator: torch.Generator) -> Tensor:
    """Random signs of the cosines: operators that keep the smoothness of a filter.  -> (draws, frequencies)"""
    return torch.randint(0, 2, (draws, frequencies), generator=generator).double().mul(2).sub(1)


def _ring_permutations(patch: tuple[int, int], draws: int, generator: torch.Generator) -> Tensor:
    """Permutations of row-major pixels that keep the distance from the centre.  -> (draws, n m)"""
    down, right = (2 * torch.arange(size) - size + 1 for size in patch)
    rings = (down[:, None] ** 2 + right**2).flatten()
    # Both orders sort the pixels by ring; within a ring, the first keeps their order, and the second is random.
    ordered = rings.argsort(stable=True)
    shuffled = (rings + torch.rand(draws, len(rings), generator=generator) * 0.5).argsort(1)
    orders = torch.empty_like(shuffled)
    return orders.scatter_(1, ordered.expand(draws, -1), shuffled)
