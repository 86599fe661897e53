"""The catalogue of signals: known operators on patches of one axis, as exact (d, d) matrices."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from lgn.actions import Patch, matrix_of
from lgn.transforms import axes, filters, warps


def identity(patch: Patch) -> Tensor:
    """The identity `I`, (d, d)."""
    return torch.eye(patch[0], dtype=torch.float64)


def sign(patch: Patch) -> Tensor:
    """`x -> -x`, (d, d)."""
    return -identity(patch)


def reversal(patch: Patch) -> Tensor:
    """Backwards in time, (d, d)."""
    return matrix_of(lambda x: x.flip(-1), patch)


def shift(patch: Patch, places: int = 1, fill: str = "cyclic") -> Tensor:
    """Later by `places`: "cyclic" wraps round, "zeros" fills with zeros, (d, d)."""
    return matrix_of(lambda x: axes.shift(x, (places,), fill), patch)


def stretch(patch: Patch, factor: float, mode: str = "bilinear", fill: str = "zeros") -> Tensor:
    """Longer by `factor` about the middle, (d, d)."""
    if factor <= 0:
        raise ValueError(f"factor must be positive, got {factor}")
    linear = ((1.0, 0.0), (0.0, 1 / factor))  # a signal is an image of one row
    return matrix_of(lambda x: warps.warp(x.unsqueeze(-2), linear, mode, fill).squeeze(-2), patch)


def smoothing(patch: Patch, sigma: float) -> Tensor:
    """A Gaussian filter, reflected at the ends, (d, d)."""
    return matrix_of(lambda x: filters.blur(x, sigma, axes=1), patch)


def derivative(patch: Patch, kind: str = "centred") -> Tensor:
    """A derivative filter, "centred" `(x[i+1] - x[i-1]) / 2` or "forward" `x[i+1] - x[i]`, (d, d)."""
    return matrix_of(lambda x: filters.differentiate(x, "columns", kind), patch)


def modulation(patch: Patch, cycles: float, degrees: float = 0.0) -> Tensor:
    """`x[t] cos(2 pi cycles t / n + degrees)`: so many cycles over the patch, (d, d)."""
    time = torch.arange(patch[0], dtype=torch.float64)
    return torch.diag(torch.cos(2 * math.pi * cycles * time / patch[0] + math.radians(degrees)))


#: By name, the simpler before the richer.
SIGNALS: dict[str, Callable[..., Tensor]] = {
    "identity": identity,
    "sign": sign,
    "reversal": reversal,
    "shift": shift,
    "smoothing": smoothing,
    "derivative": derivative,
    "stretch": stretch,
    "modulation": modulation,
}
