"""Balance: whether the distribution of filters is the same after T, beside what other operators show."""

import math
from typing import Literal, NamedTuple

import torch
from torch import Tensor

Verdict = Literal["balanced", "broken", "neither"]
LARGE = 1.5  # times what chance gives: from here on a distribution is called broken, and below it none is
SMALL = 49  # pixels: a table of all pairs of pairs of them has some millions of numbers
STRICTER = 2 / 3  # of what operators that keep smoothness have: a balanced T has no more

# Note [Balance needs a reference]
# `rho_T = sum_ij (K_I^2 - K_T^2) / sum_i (1 - K_T[i, i]^2)` is half the squared distance of the second moment of
# filters from its image under T, in units of what filters would give that are turned each by itself: 1 by chance, less
# where T f_i has more company than chance gives it, large where the distribution is not the one that it is after T.
# That rho_T is about 1 says little: filters that are smooth, and of which no place is special, have a second moment
# that every flip leaves nearly alone, and a half turn comes with them. So T is compared with operators that keep as
# much: the smoothness (signs of their own for all cosines that the kernel is made of, and, where T exchanges rows and
# columns, that exchange too), and the energy at each distance from the centre (permutations of pixels within rings).
# *Balanced* is where rho_T is below nearly all of both, at most two thirds of what smoothness alone gives, and not
# above what twists give. *Broken* is where it is above what twists give, and at least 1.5. What is left is *neither*:
# the bank does not tell T from any other operator.


class Balance(NamedTuple):
    """rho_T, what references have (the median of each), and how often each null gives as much."""

    rho: float
    smooth_reference: float
    ring_reference: float
    #: How often a reference has a rho as small, the larger of both; and how often a twist has one as large.
    p_balanced: float
    p_broken: float


def verdict(found: Balance, p_balanced: float, p_broken: float, level: float = 0.05) -> Verdict:
    """What is said of T, with p-values that are corrected for all that were asked."""
    if p_broken <= level:
        return "broken" if found.rho >= LARGE else "neither"
    strict = found.rho <= STRICTER * found.smooth_reference
    return "balanced" if p_balanced <= level and strict else "neither"


class References(NamedTuple):
    """rho of the operators that T is compared with.  (draws,) each"""

    signs: Tensor
    exchanges: Tensor
    rings: Tensor


def balance(cosines: Tensor, exponents: Tensor, period: int, references: References, swaps: bool) -> Balance:
    """How balanced a bank is under T; see Note [Balance needs a reference].

    Shapes: (powers, filters, filters), (twists, filters) with the bank as it is first.
    """
    squares = cosines.square()
    # sum_ij of `K[h_i - h_j]^2 - K[1 + h_i - h_j]^2`, a quadratic form in who has which exponent.
    changes = squares - squares.roll(-1, 0)  # (powers, filters, filters)
    has = [(exponents == power).double() for power in range(period)]  # (twists, filters) each
    broken = sum(((has[a] @ changes[(a - b) % period]) * has[b]).sum(1) for a in range(period) for b in range(period))
    # Powers of T commute: no twist changes how much a filter is its own copy.
    twisted = torch.as_tensor(broken) / (1 - cosines[1].diagonal().square()).sum().clamp_min(1e-9)
    smooth = references.exchanges if swaps else references.signs
    below = max(float((1 + (each <= twisted[0]).sum()) / (1 + len(each))) for each in (smooth, references.rings))
    above = float((twisted >= twisted[0] - 1e-9).double().mean())
    return Balance(float(twisted[0]), float(smooth.median()), float(references.rings.median()), below, above)


def references(filters: Tensor, draws: int, generator: torch.Generator) -> References:
    """rho of operators that keep smoothness, or the energy of rings.  (filters, channels, n, m)"""
    n, m = filters.shape[-2:]
    plain = (filters.flatten(1) @ filters.flatten(1).T).square().sum()
    waves = cosine_basis(n, m)
    spectra = filters.flatten(2) @ waves.T  # (filters, channels, frequencies)
    exchanged = filters.mT.flatten(2) @ waves.T if n == m else spectra
    signs = random_signs(draws, n * m, generator)
    return References(
        _rho_of_signs(spectra, spectra, signs, plain),
        _rho_of_signs(exchanged, spectra, signs, plain),
        _rho_of_permutations(filters.flatten(2), _ring_permutations((n, m), draws, generator), plain),
    )


def _rho_of_signs(moved: Tensor, spectra: Tensor, signs: Tensor, plain: Tensor) -> Tensor:
    """rho of `Q f = sum_a q_a moved_a`, the same signs q for all channels: quadratic forms in q.

    Shapes: (filters, channels, frequencies) twice, (draws, frequencies) -> (draws,)
    """
    likeness = torch.einsum("ica,jca->aij", moved, spectra)
    squares = likeness.flatten(1) @ likeness.flatten(1).T  # (frequencies, frequencies)
    own = signs @ likeness.diagonal(dim1=1, dim2=2)  # (draws, filters)
    return (plain - ((signs @ squares) * signs).sum(1)) / (1 - own.square()).sum(1).clamp_min(1e-9)


def _rho_of_permutations(pixels: Tensor, orders: Tensor, plain: Tensor) -> Tensor:
    """rho of permutations of pixels, by the second moment of filters.

    Shapes: (filters, channels, pixels), (draws, pixels) -> (draws,)
    """
    channels, count = pixels.shape[1:]
    moment = (pixels.flatten(1).T @ pixels.flatten(1)).view(channels, count, channels, count)
    by_pixels = moment.permute(1, 3, 0, 2).reshape(count**2, channels**2)
    pairs = orders[:, :, None] * count + orders[:, None, :]  # (draws, pixels, pixels)
    here = torch.arange(count**2)
    if count <= SMALL:
        table = by_pixels @ by_pixels.T
        squares = table[pairs.flatten(1), here].sum(1)
    else:
        squares = torch.stack([(by_pixels[some.flatten()] * by_pixels).sum() for some in pairs])
    likeness = torch.einsum("icp,icq->ipq", pixels, pixels)
    own = torch.stack([likeness[:, order, torch.arange(count)].sum(1) for order in orders])
    return (plain - squares) / (1 - own.square()).sum(1).clamp_min(1e-9)


def cosine_basis(n: int, m: int) -> Tensor:
    """The cosines that a kernel is made of, rows being frequencies and columns row-major pixels.  (n m, n m)"""
    return torch.kron(_cosines(n), _cosines(m))


def random_signs(draws: int, frequencies: int, generator: torch.Generator) -> Tensor:
    """Signs for each cosine: operators that keep how smooth a filter is.  (draws, frequencies)"""
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
    # Sorted by ring, and at random within it: the k-th of a ring goes to where the k-th of it was.
    places = rings.argsort(stable=True)
    shuffled = (rings + torch.rand(draws, len(rings), generator=generator) * 0.5).argsort(1)
    orders = torch.empty_like(shuffled)
    return orders.scatter_(1, places.expand(draws, -1), shuffled)
