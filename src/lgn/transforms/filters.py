"""Filters of a patch: average pooling, Gaussian blur, derivatives.

Beyond its border a patch is reflected about its outermost pixels, which are not repeated (`d c b | a b c d
| c b a`).
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from lgn.actions import size_text
from lgn.transforms.warps import reflect

#: The taps of each derivative, as an inner product with the pixels at (-1, 0, +1).
_DERIVATIVES = {"centred": (-0.5, 0.0, 0.5), "forward": (0.0, -1.0, 1.0)}


def pool(x: Tensor, radius: int) -> Tensor:
    """Average pooling with stride 1 (sec. 5.2): the mean of a window of `radius` x `radius` pixels.

    A window of even size has no middle pixel: it reaches `(radius - 1) // 2` pixels up and left and `radius
    // 2` down and right. Radius 1 is the identity. (..., n, m) -> (..., n, m)
    """
    patch = tuple(x.shape[-2:])
    largest = 2 * min(patch) - 1
    if not 1 <= radius <= largest:
        raise ValueError(f"radius must be from 1 to {largest} for a patch of {size_text(patch)}, got {radius}")
    taps = [1 / radius] * radius
    return _correlate(_correlate(x, taps, (radius - 1) // 2, axis=-2), taps, (radius - 1) // 2, axis=-1)


def blur(x: Tensor, sigma: float, axes: int = 2) -> Tensor:
    """Gaussian blur: taps `exp(-k^2 / (2 sigma^2))`, normalised, out to 3 sigma pixels.

    They are cut where the reflection ends, at the shortest side less one.

    Shapes: (..., n, m) -> (..., n, m), or as many last axes as given
    """
    if sigma <= 0:
        raise ValueError(f"sigma must be positive, got {sigma}")
    reach = min(math.ceil(3 * sigma), min(x.shape[-axes:]) - 1)
    taps = [math.exp(-0.5 * (k / sigma) ** 2) for k in range(-reach, reach + 1)]
    taps = [tap / sum(taps) for tap in taps]
    for axis in range(-axes, 0):
        x = _correlate(x, taps, reach, axis)
    return x


def differentiate(x: Tensor, axis: str = "rows", kind: str = "centred") -> Tensor:
    """A derivative filter along `axis`: "rows" is downwards, "columns" to the right.  (..., n, m) -> (..., n, m)"""
    if axis not in ("rows", "columns"):
        raise ValueError(f"axis must be 'rows' or 'columns', got {axis!r}")
    if kind not in _DERIVATIVES:
        raise ValueError(f"kind must be one of {tuple(_DERIVATIVES)}, got {kind!r}")
    return _correlate(x, _DERIVATIVES[kind], 1, axis=-2 if axis == "rows" else -1)


def _correlate(x: Tensor, taps: Sequence[float], before: int, axis: int) -> Tensor:
    """`result[i] = sum_k taps[k] x[i + k - before]` along one axis, reflected at the border."""
    size = x.shape[axis]
    places = torch.arange(size, device=x.device)
    result = torch.zeros_like(x)
    for k, tap in enumerate(taps):
        if tap != 0:
            result = result + tap * x.index_select(axis, reflect(places + k - before, size))
    return result
