"""Generators in the Fourier basis (app. D): `F A F^-1` is diagonal if and only if A is circulant.

F is unitary, so the share of energy on the diagonal is the score "circulant", or "doubly block-circulant" in two
dimensions.
"""

import math

import torch
from torch import Tensor

from lgn.actions import Patch


def transform(a: Tensor, patch: Patch) -> Tensor:
    """`F A F^-1`, complex, (..., d, d): F is the DFT of all pixels for a patch (d,), and `F_m (x) F_n` for (n, m)."""
    k = len(patch)
    rows = torch.fft.fftn(_grid(a, patch), dim=tuple(range(-2 * k, -k)))
    return torch.fft.ifftn(rows, dim=tuple(range(-k, 0))).reshape(a.shape)


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
    return torch.where(total > 0, part / total.clamp(min=torch.finfo(total.dtype).tiny), 0.0).clamp(0, 1)


def random_circulant(d: int, random: torch.Generator | None = None) -> tuple[Tensor, Tensor]:
    """A random diagonal D and the circulant matrix `F^-1 D F` (fig. 10), both (d, d).

    D is conjugate-symmetric, the transform of a real vector, so that the circulant matrix is real.
    """
    first_column = torch.randn(d, generator=random, dtype=torch.float64)
    place = torch.arange(d)
    return torch.diag(torch.fft.fft(first_column)), first_column[(place[:, None] - place[None, :]) % d]


def _grid(a: Tensor, patch: Patch) -> Tensor:
    """The pixels of the output and of the input as axes, the last axis of the patch first."""
    return a.reshape(*a.shape[:-2], *reversed(patch), *reversed(patch))
