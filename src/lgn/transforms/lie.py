"""The infinitesimal generator of rotation, `L = x d_y - y d_x` about the centre of a patch."""

import torch
from torch import Tensor

from lgn.actions import Patch


def analytic(patch: Patch) -> Tensor:
    """`L` for counter-clockwise rotation: `exp(angle L)` turns by an angle, (d, d).

    Derivatives are those of the band-limited function through the pixels, `(-1)^k / k` at distance k.
    """
    n, m = patch
    rows, columns = (torch.diag(torch.arange(size, dtype=torch.float64) - (size - 1) / 2) for size in patch)
    # Rows count downwards: the value at (row, column) is read at (row + angle column, column - angle row).
    return torch.kron(columns, _derivative(n)) - torch.kron(_derivative(m), rows)


def cosine(a: Tensor, b: Tensor) -> float:
    """`<a, b> / (|a| |b|)`."""
    return float((a.double() * b.double()).sum() / (a.double().norm() * b.double().norm()))


def _derivative(size: int) -> Tensor:
    """The derivative along one axis as a skew matrix (size, size)."""
    places = torch.arange(size, dtype=torch.float64)
    distance = places[None, :] - places[:, None]  # how far ahead the pixel read is
    sign = 1 - 2 * distance.abs().remainder(2)
    return torch.where(distance == 0, torch.zeros_like(distance), -sign / distance.masked_fill(distance == 0, 1))
