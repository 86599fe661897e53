"""The infinitesimal generator of rotation: from a learned rotation, and from analysis to compare it with.

A rotation by a small angle is `exp(angle L)`, with `L = x d_y - y d_x` about the centre. Interpolation adds
a blur, which is symmetric to first order: the logarithm undoes the finite angle, and its skew part leaves
the blur behind.
"""

import torch
from torch import Tensor

from lgn.algebra import Patch


def infinitesimal(rotation: Tensor, angle: float) -> Tensor:
    """The skew part of `log(rotation) / angle`, (d, d).

    The principal logarithm is real only where no eigenvalue is zero or negative; otherwise there is an error.
    """
    from scipy.linalg import logm

    logarithm = torch.as_tensor(logm(rotation.double().numpy()))
    if logarithm.is_complex():
        if logarithm.imag.abs().max() > 1e-8 * logarithm.real.abs().max():
            raise ValueError("rotation must have a real logarithm: it has eigenvalues that are zero or negative")
        logarithm = logarithm.real
    return (logarithm - logarithm.T) / (2 * angle)


def analytic(patch: Patch, derivative: str = "sinc") -> Tensor:
    """`L = x d_y - y d_x` about the centre of the patch, for counter-clockwise rotation, (d, d).

    "sinc" takes the derivative of the band-limited function through the pixels (`(-1)^k / k` at distance k);
    "centred" takes half the difference of the two neighbours.
    """
    n, m = patch
    rows, columns = (torch.diag(torch.arange(size, dtype=torch.float64) - (size - 1) / 2) for size in patch)
    # Rows count downwards: the value at (row, column) is read at (row + angle column, column - angle row).
    return torch.kron(columns, _derivative(n, derivative)) - torch.kron(_derivative(m, derivative), rows)


def cosine(a: Tensor, b: Tensor) -> float:
    """`<a, b> / (|a| |b|)`."""
    return float((a.double() * b.double()).sum() / (a.double().norm() * b.double().norm()))


def _derivative(size: int, kind: str) -> Tensor:
    """The derivative along one axis as a skew matrix (size, size)."""
    places = torch.arange(size, dtype=torch.float64)
    distance = places[None, :] - places[:, None]  # how far ahead the pixel read is
    if kind == "centred":
        return ((distance == 1).double() - (distance == -1).double()) / 2
    if kind == "sinc":
        sign = 1 - 2 * distance.abs().remainder(2)
        return torch.where(distance == 0, torch.zeros_like(distance), -sign / distance.masked_fill(distance == 0, 1))
    raise ValueError(f"derivative must be 'sinc' or 'centred', got {kind!r}")
