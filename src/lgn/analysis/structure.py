"""Scores of structure: numbers in [0, 1] for matrices (..., d, d), 1 for an ideal member, 0 for a matrix of zeros.

The simplest scores are shares of the energy `|A|_F^2` in a linear space of matrices. For Gaussian matrices, a space of
r dimensions has the mean share r / d^2, and the share has a Beta distribution. `vec` stacks columns, so a generator of
an (n, m) patch is an m x m grid of n x n blocks, one block for each pair of filter columns.
"""

import math
from functools import lru_cache

import torch
from torch import Tensor

from lgn.actions import Patch, pixels


def symmetry(a: Tensor) -> tuple[Tensor, Tensor]:
    """Symmetric `|A + A^T|^2 / (4 |A|^2)` and skew-symmetric `|A - A^T|^2 / (4 |A|^2)`; they sum to 1."""
    crossed = (a * a.mT).sum((-2, -1))
    return _ratio((energy(a) + crossed) / 2, energy(a)), _ratio((energy(a) - crossed) / 2, energy(a))


def offset_share(a: Tensor, patch: Patch, *, wrap: bool = False) -> Tensor:
    """The share of energy in matrices whose entries depend only on the offset between two pixels.

    For a patch (d,) they are the Toeplitz matrices, constant along 2d - 1 diagonals, or with `wrap` the circulant
    matrices, constant along d wrapped diagonals. For an image they are filters that are zero outside, block-Toeplitz
    with Toeplitz blocks and (2n - 1)(2m - 1) offsets, or filters that wrap around, doubly block-circulant.
    """
    return _ratio((a.flatten(-2) @ _basis(patch, wrap, a.dtype)).square().sum(-1), energy(a))


def by_offset(a: Tensor, patch: Patch) -> Tensor:
    """The block-Toeplitz matrix nearest to A: the mean over all pairs of pixels with the same offset."""
    basis = _basis(patch, False, a.dtype)
    return (a.flatten(-2) @ basis @ basis.T).view_as(a)


def kronecker(a: Tensor, patch: Patch) -> Tensor:
    """`s_1^2 / sum_i s_i^2` of the rearrangement: the energy of the best `B (x) C`, columns (m, m), rows (n, n).

    The n x n blocks become rows, so that a Kronecker product becomes a matrix of rank one.
    """
    blocks = _blocks(a, patch)  # (..., m^2, n^2)
    if blocks.shape[-2] > blocks.shape[-1]:
        blocks = blocks.mT
    # In float64: the float32 solver of LAPACK fails for some matrices with many equal eigenvalues, such as shifts.
    largest = torch.linalg.eigvalsh((blocks @ blocks.mT).double())[..., -1]
    return _ratio(largest.to(a.dtype), energy(a))


def permutation(a: Tensor) -> Tensor:
    """`(sum_i max_j a_ij)^2 / (d |A|^2)` over rows or over columns, the smaller of both; negative maxima are 0.

    By Cauchy-Schwarz it is 1 only for a permutation times a positive number.
    """
    lines = [a.amax(axis).clamp(min=0).sum(-1).square() for axis in (-1, -2)]
    return _ratio(torch.minimum(*lines), a.shape[-1] * energy(a))


def low_rank(a: Tensor) -> tuple[Tensor, Tensor]:
    """`(d - r) / (d - 1)` for the stable rank `r = |A|_F^2 / s_1^2` and for the effective rank.

    The effective rank is `exp(-sum_i q_i log q_i)` with `q_i = s_i / sum_j s_j`. Both are 1 for rank one
    and 0 if all singular values are equal. Singular values below 0.3 percent of the largest count as zero.
    """
    d = a.shape[-1]
    squares = torch.linalg.eigvalsh((a.mT @ a).double()).to(a.dtype).clamp(min=0)  # see `kronecker`
    top = squares[..., -1:]
    values = torch.where(squares > 1e-5 * top, squares, torch.zeros_like(squares)).sqrt()
    q = values / values.sum(-1, keepdim=True).clamp(min=_tiny(a))
    effective = torch.exp(-torch.special.xlogy(q, q).sum(-1))
    nonzero = top[..., 0] > 0
    stable = _ratio(squares.sum(-1), top[..., 0])
    return tuple(torch.where(nonzero, (d - r) / max(d - 1, 1), 0.0).clamp(0, 1) for r in (stable, effective))  # type: ignore[return-value]


def causal_energy(a: Tensor) -> Tensor:
    """Causal averaging (sec. 5.1), one-sidedness: `|E_up - E_low| / (E_up + E_low)` of energies off the diagonal.

    An entry above the diagonal weights a later pixel, an entry below it an earlier pixel.
    """
    up, low = energy(a.triu(1)), energy(a.tril(-1))
    return _ratio((up - low).abs(), up + low)


def causal_sign(a: Tensor) -> Tensor:
    """Causal averaging, one sign on either side: `(|sum_up a| + |sum_low a|) / (sum_up |a| + sum_low |a|)`."""
    sides = (a.triu(1), a.tril(-1))
    signed, whole = (torch.stack([part.sum((-2, -1)) for part in parts]) for parts in (sides, [x.abs() for x in sides]))
    return _ratio(signed.abs().sum(0), whole.sum(0))


def quadrant_signs(a: Tensor, patch: Patch) -> Tensor:
    """Multi-scale structure (sec. 5.1), the coarse scale: the mean over the four quadrants of `|sum a| / sum |a|`.

    With an odd number of block rows the middle one belongs to no quadrant; with one block there are no quadrants.
    """
    n, m = patch
    half = (m // 2) * n
    sides = (slice(None, half), slice(a.shape[-1] - half, None))
    quadrants = [a[..., rows, columns] for rows in sides for columns in sides]
    return torch.stack([_ratio(q.sum((-2, -1)).abs(), q.abs().sum((-2, -1))) for q in quadrants]).mean(0)


def block_variety(a: Tensor, patch: Patch) -> Tensor:
    """Multi-scale structure, the fine scale: `1 - mean |correlation|` over all pairs of n x n blocks.

    Independent noise already has a high score. A constant block counts as correlated with all other blocks.
    """
    blocks = _blocks(a, patch)
    count = blocks.shape[-2]
    if count == 1:
        return torch.zeros_like(energy(a))
    deviation = blocks - blocks.mean(-1, keepdim=True)
    norms = deviation.norm(dim=-1)
    flat = norms <= 1e-5 * blocks.norm(dim=-1).amax(-1, keepdim=True)
    unit = torch.where(flat, 0.0, 1 / norms.clamp(min=_tiny(a)))[..., None] * deviation
    correlation = torch.where(flat[..., None] | flat[..., None, :], 1.0, (unit @ unit.mT).abs())
    others = correlation.sum((-2, -1)) - correlation.diagonal(dim1=-2, dim2=-1).sum(-1)
    return (1 - others / (count * (count - 1))).clamp(0, 1)


def concentrated_blocks(a: Tensor, patch: Patch) -> Tensor:
    """The share of energy in the strongest tenth (rounded up) of the m^2 blocks of n x n (sec. 5.3.2)."""
    energies = _blocks(a, patch).square().sum(-1)
    strongest = energies.topk(math.ceil(energies.shape[-1] / 10), dim=-1).values.sum(-1)
    return _ratio(strongest, energy(a))


def few_lines(a: Tensor, patch: Patch) -> Tensor:
    """The share of the energy of `F A F^-1` in the strongest tenth (rounded up) of its rows and columns."""
    # |ifft| differs from |fft| only by a scale and the order of the columns, and one joint FFT is faster.
    axes = tuple(range(-2 * len(patch), 0))
    power = torch.fft.fftn(_grid(a, patch), dim=axes).abs().square().reshape(a.shape)
    d = a.shape[-1]
    count = math.ceil(d / 10)
    rows, columns = (power.sum(axis).topk(count, dim=-1) for axis in (-1, -2))
    index = rows.indices[..., :, None].expand(*rows.indices.shape, d)
    twice = power.gather(-2, index).gather(-1, columns.indices[..., None, :].expand(*columns.indices.shape, count))
    total = power.sum((-2, -1))
    part = rows.values.sum(-1) + columns.values.sum(-1) - twice.sum((-2, -1))
    return _ratio(part, total).clamp(max=1)


def transform(a: Tensor, patch: Patch) -> Tensor:
    """`F A F^-1` (app. D), complex, (..., d, d), with the DFT of all pixels for a patch (d,), `F_m (x) F_n` for (n, m).

    It is diagonal if and only if A is circulant, or doubly block-circulant. F is unitary, so the share of energy on the
    diagonal is that score.
    """
    k = len(patch)
    rows = torch.fft.fftn(_grid(a, patch), dim=tuple(range(-2 * k, -k)))
    return torch.fft.ifftn(rows, dim=tuple(range(-k, 0))).reshape(a.shape)


def random_circulant(d: int, random: torch.Generator | None = None) -> tuple[Tensor, Tensor]:
    """A random diagonal D and the circulant matrix `F^-1 D F` (fig. 10), both (d, d).

    D is conjugate-symmetric, the transform of a real vector, so that the circulant matrix is real.
    """
    first_column = torch.randn(d, generator=random, dtype=torch.float64)
    place = torch.arange(d)
    return torch.diag(torch.fft.fft(first_column)), first_column[(place[:, None] - place[None, :]) % d]


def energy(a: Tensor) -> Tensor:
    """`|A|_F^2`, (..., d, d) -> (...)."""
    return a.square().sum((-2, -1))


def _blocks(a: Tensor, patch: Patch) -> Tensor:
    """The n x n blocks as rows: (..., d, d) -> (..., m^2, n^2)."""
    return _grid(a, patch).transpose(-3, -2).flatten(-2).flatten(-3, -2)


def _grid(a: Tensor, patch: Patch) -> Tensor:
    """The pixels of the output and of the input as axes, the last axis of the patch first."""
    return a.reshape(*a.shape[:-2], *reversed(patch), *reversed(patch))


@lru_cache(maxsize=32)
def _basis(patch: Patch, wrap: bool, dtype: torch.dtype) -> Tensor:
    """An orthonormal basis of the matrices whose entries depend only on the offset between two pixels.  -> (d^2, r)"""
    places, sizes = pixels(patch), torch.tensor(patch)
    offsets = places[:, None] - places  # (d, d, axes)
    offsets = offsets % sizes if wrap else offsets + sizes - 1
    classes = torch.zeros_like(offsets[..., 0])
    for axis in reversed(range(len(patch))):
        classes = classes * (2 * patch[axis] - 1) + offsets[..., axis]
    _, numbered = classes.unique(return_inverse=True)
    member = torch.nn.functional.one_hot(numbered.flatten()).to(dtype)
    return member / member.sum(0).sqrt()


def _ratio(part: Tensor, whole: Tensor) -> Tensor:
    """part / whole in [0, 1], and 0 if the whole is 0."""
    return torch.where(whole > 0, part / whole.clamp(min=_tiny(whole)), 0.0).clamp(min=0)


def _tiny(a: Tensor) -> float:
    return torch.finfo(a.dtype).tiny
