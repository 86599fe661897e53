"""The median filter, which is not linear, and the linear map that comes nearest to it on given patches."""

import torch
from torch import Tensor
from torch.nn import functional

from lgn.algebra import vec
from lgn.operators.learn import Learned, closed_form


def median(x: Tensor, radius: int) -> Tensor:
    """The median of a window of radius x radius pixels, reflected as in `pool`.  (N, n, m) -> (N, n, m)

    Of an even number of pixels it is the lower middle one.
    """
    before, after = (radius - 1) // 2, radius // 2
    if radius < 1 or after >= min(x.shape[-2:]):
        raise ValueError(f"radius must be from 1 to {2 * min(x.shape[-2:]) - 1}, got {radius}")
    padded = functional.pad(x[:, None], (before, after, before, after), mode="reflect")[:, 0]
    windows = padded.unfold(-2, radius, 1).unfold(-2, radius, 1)  # (N, n, m, radius, radius)
    return torch.median(windows.flatten(-2), dim=-1).values


def linear_median(patches: Tensor, radius: int) -> Learned:
    """The best linear approximation of the median filter on `patches` (N, n, m), with its error on them."""
    return closed_form(vec(patches.double()), vec(median(patches.double(), radius)))
