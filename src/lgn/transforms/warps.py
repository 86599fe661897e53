"""Geometric maps of a patch: rotation, scaling and shear, by sampling the patch at moved places.

All are *pull-backs* about the centre of the patch: the value at a place of the result is read at `M place`
of the input, with `M` a 2x2 matrix on (row, column) offsets. Offsets are rounded to nine decimals, so that
a place exactly between two pixels (rotation by 45 degrees of an even patch has some) does not fall to
either by rounding error.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from lgn.actions import Patch

MODES = ("nearest", "bilinear", "bicubic")
FILLS = ("zeros", "reflection")
Linear = tuple[tuple[float, float], tuple[float, float]]


def rotate(x: Tensor, degrees: float, mode: str = "nearest", fill: str = "zeros") -> Tensor:
    """Turn each patch counter-clockwise (as seen with row 0 on top) by any angle.  (..., n, m) -> (..., n, m)"""
    # Multiples of 90 degrees are exact: cos(pi / 2) in floating point is not zero.
    cosine, sine = (round(f(math.radians(degrees)), 15) for f in (math.cos, math.sin))
    return warp(x, ((cosine, sine), (-sine, cosine)), mode, fill)


def scale(x: Tensor, factor: float, mode: str = "bilinear", fill: str = "zeros") -> Tensor:
    """Enlarge each patch by `factor` about its centre.  (..., n, m) -> (..., n, m)"""
    if factor <= 0:
        raise ValueError(f"factor must be positive, got {factor}")
    return warp(x, ((1 / factor, 0.0), (0.0, 1 / factor)), mode, fill)


def shear(x: Tensor, amount: float, axis: str = "rows", mode: str = "bilinear", fill: str = "zeros") -> Tensor:
    """Slide pixels along `axis` by `amount` times their place on the other axis.  (..., n, m) -> (..., n, m)

    "rows" slides within columns, so that rows change: `result[r, c] = x[r - amount c, c]` about the centre.
    """
    if axis not in ("rows", "columns"):
        raise ValueError(f"axis must be 'rows' or 'columns', got {axis!r}")
    linear = ((1.0, -amount), (0.0, 1.0)) if axis == "rows" else ((1.0, 0.0), (-amount, 1.0))
    return warp(x, linear, mode, fill)


def warp(
    x: Tensor,
    linear: Linear,
    mode: str = "bilinear",
    fill: str = "zeros",
    shift: tuple[float, float] = (0.0, 0.0),
) -> Tensor:
    """`result[place] = x[linear place + shift]` with places measured from the centre of the patch.

    shift: in heights and widths of the patch.

    Shapes: (..., n, m) -> (..., n, m)
    """
    if mode not in MODES:
        raise ValueError(f"mode must be one of {MODES}, got {mode!r}")
    if fill not in FILLS:
        raise ValueError(f"fill must be one of {FILLS}, got {fill!r}")
    n, m = x.shape[-2:]
    x = x if x.is_floating_point() else x.float()
    row, column = _offsets(x)
    (a, b), (c, d) = linear
    first, second = (n - 1) / 2 + shift[0] * n, (m - 1) / 2 + shift[1] * m
    return _sample(x, a * row + b * column + first, c * row + d * column + second, mode, fill)


def _sample(x: Tensor, row: Tensor, column: Tensor, mode: str, fill: str) -> Tensor:
    """Interpolate x at real places (n, m): the sum of its pixels near each place, weighted by the mode's kernel."""
    row, column = row.round(decimals=9), column.round(decimals=9)
    kernel, taps = _KERNELS[mode]
    n, m = x.shape[-2:]
    result = torch.zeros_like(x)
    # A tie of "nearest" goes to the later pixel: floor(place + 1/2).
    first_row, first_column = (
        ((row + 0.5).floor(), (column + 0.5).floor()) if mode == "nearest" else (row.floor(), column.floor())
    )
    for down in taps:
        for right in taps:
            i, j = first_row + down, first_column + right
            weight = kernel(row - i) * kernel(column - j)
            if fill == "zeros":
                weight = weight * ((i >= 0) & (i < n) & (j >= 0) & (j < m))
                i, j = i.clamp(0, n - 1), j.clamp(0, m - 1)
            else:
                i, j = reflect(i, n), reflect(j, m)
            result = result + weight.to(x) * x[..., i.long().to(x.device), j.long().to(x.device)]
    return result


def rotation_generator(patch: Patch) -> Tensor:
    """The infinitesimal rotation `L = x d_y - y d_x` about the centre: `exp(t L)` turns counter-clockwise by t.

    Derivatives are those of the band-limited function through the pixels, `(-1)^k / k` at distance k.  -> (d, d)
    """
    rows, columns = (torch.diag(torch.arange(size, dtype=torch.float64) - (size - 1) / 2) for size in patch)
    down, right = map(_derivative, patch)
    # Rows count downwards: the value at (row, column) is read at (row + angle column, column - angle row).
    return torch.kron(columns, down) - torch.kron(right, rows)


def disc(x: Tensor) -> Tensor:
    """The patch inside the largest disc that all turns keep inside, and zeros outside.  (..., n, m) -> (..., n, m)"""
    row, column = _offsets(x)
    inside = row**2 + column**2 <= (min(x.shape[-2:]) / 2 - 1) ** 2
    return x * inside.to(x.device)


def _offsets(x: Tensor) -> tuple[Tensor, Tensor]:
    """Places measured from the centre, in float64 on the CPU.  (..., n, m) -> (n, 1), (1, m)"""
    n, m = x.shape[-2:]
    row = torch.arange(n, dtype=torch.float64, device="cpu")[:, None] - (n - 1) / 2
    return row, torch.arange(m, dtype=torch.float64, device="cpu")[None, :] - (m - 1) / 2


def reflect(index: Tensor, size: int) -> Tensor:
    """Fold an index back into 0 ... size-1 about the border pixels, which are not repeated."""
    if size == 1:
        return torch.zeros_like(index)
    index = index.remainder(2 * (size - 1))
    return torch.minimum(index, 2 * (size - 1) - index)


def _derivative(size: int) -> Tensor:
    """The derivative along one axis as a skew matrix (size, size)."""
    places = torch.arange(size, dtype=torch.float64)
    distance = places[None, :] - places[:, None]
    sign = 1 - 2 * distance.abs().remainder(2)
    return torch.where(distance == 0, torch.zeros_like(distance), -sign / distance.masked_fill(distance == 0, 1))


def _cubic(distance: Tensor) -> Tensor:
    """The cubic convolution kernel with a = -1/2, which reproduces quadratics."""
    t = distance.abs()
    near = (1.5 * t - 2.5) * t * t + 1
    far = ((-0.5 * t + 2.5) * t - 4) * t + 2
    return torch.where(t <= 1, near, torch.where(t < 2, far, torch.zeros_like(t)))


_KERNELS: dict[str, tuple[Callable[[Tensor], Tensor], tuple[int, ...]]] = {
    "nearest": (torch.ones_like, (0,)),
    "bilinear": (lambda distance: (1 - distance.abs()).clamp(min=0), (0, 1)),
    "bicubic": (_cubic, (-1, 0, 1, 2)),
}
