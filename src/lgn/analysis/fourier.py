"""Generators in the Fourier basis (app. D): `F A F^-1` is diagonal if and only if A is circulant.

F is unitary, so the share of energy on the diagonal is the score "circulant", or "doubly block-circulant" in two
dimensions.
"""

import math

import torch
from torch import Tensor

from lgn.actions import Patch

BASES = ("1-D", "2-D")


def transform(a: Tensor, patch: Patch, basis: str = "1-D") -> Tensor:
    """`F A F^-1`, complex, (..., d, d): "1-D" for the DFT of all d pixels, "2-D" for `F_m (x) F_n` of the patch."""
    if basis not in BASES:
        raise ValueError(f"basis must be one of {BASES}, got {basis!r}")
    if basis == "1-D":
        return torch.fft.ifft(torch.fft.fft(a, dim=-2), dim=-1)
    n, m = patch
    grid = a.unflatten(-1, (m, n)).unflatten(-3, (m, n))
    return torch.fft.ifft2(torch.fft.fft2(grid, dim=(-4, -3)), dim=(-2, -1)).flatten(-2).flatten(-3, -2)


def few_lines(a: Tensor, patch: Patch, basis: str = "1-D") -> Tensor:
    """The share of the energy of `F A F^-1` in the strongest tenth (rounded up) of its rows and columns."""
    d = a.shape[-1]
    # |ifft| differs from |fft| only by a scale and the order of the columns, and one joint FFT is faster.
    if basis == "1-D":
        power = torch.fft.fft2(a).abs().square()
    else:
        n, m = patch
        grid = a.unflatten(-1, (m, n)).unflatten(-3, (m, n))
        power = torch.fft.fftn(grid, dim=(-4, -3, -2, -1)).abs().square().flatten(-2).flatten(-3, -2)
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
