"""Error numbers: how far a matrix is from an exact property, and a function from being equivariant.

Each error of a matrix is computed for every matrix of a batch.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from lgn.linalg import double, identity_like

Map = Callable[[Tensor], Tensor]


def relative_error(actual: Tensor, expected: Tensor) -> Tensor:
    """`||actual - expected||_F / ||expected||_F` for each matrix.  (..., n, m) -> (...)"""
    return torch.linalg.matrix_norm(actual - expected) / torch.linalg.matrix_norm(expected)


def total_error(actual: Tensor, expected: Tensor) -> float:
    """`||actual - expected|| / ||expected||` over all entries of two tensors of any shape; 0 for two zero tensors."""
    return float((actual - expected).norm() / expected.norm().clamp_min(torch.finfo(expected.dtype).tiny))


def identity_error(matrix: Tensor) -> Tensor:
    """`||A - I||_F / ||I||_F`: 0 if and only if A is the identity."""
    return relative_error(matrix, identity_like(matrix))


def closure_error(matrix: Tensor, order: int) -> Tensor:
    """`||A^p - I||_F / ||I||_F`: 0 if and only if the powers of A are a cyclic group whose order divides p."""
    return identity_error(torch.linalg.matrix_power(matrix, order))


def nearest_period(matrix: Tensor, longest: int = 24) -> tuple[int, float]:
    """The q from 1 to `longest` with the smallest closure error `||A^q - I||_F / ||I||_F`, and that error.

    Of several with equal errors, the smallest q.  Shape: (d, d)
    """
    matrix = double(matrix)
    power, best = matrix, (1, float(identity_error(matrix)))
    for q in range(2, longest + 1):
        power = power @ matrix
        error = float(identity_error(power))
        if not math.isfinite(error):  # the powers of a large matrix overflow, far from any identity
            break
        if error < best[1] * (1 - 1e-6) - 1e-9:  # rounding must not prefer a multiple of the period to the period
            best = q, error
    return best


def inverse_error(matrix: Tensor, inverse: Tensor | None = None) -> Tensor:
    """`||A A~ - I||_F / ||I||_F` for a given `A~` (sec. 4.1).

    The default `A~` is the pseudo-inverse; the error is then the root of the share of dimensions that A maps to zero,
    which is 0 for an invertible matrix.
    """
    return identity_error(matrix @ (torch.linalg.pinv(matrix) if inverse is None else inverse))


def orthogonality_error(matrix: Tensor) -> Tensor:
    """`||A^T A - I||_F / ||I||_F`: 0 if and only if A is orthogonal."""
    return identity_error(matrix.mT @ matrix)


def condition_number(matrix: Tensor) -> Tensor:
    """The largest singular value over the smallest: infinite for a singular matrix."""
    singular = torch.linalg.svdvals(matrix)
    largest, smallest = singular[..., 0], singular[..., -1]
    return torch.where(smallest > 0, largest / smallest, torch.inf)  # torch's own is undefined for the zero matrix


def equivariance_error(function: Map, x: Tensor, transform_input: Map, transform_output: Map) -> float:
    """`||f(T x) - T' f(x)|| / ||T' f(x)||` (eq. 1): 0 if f is equivariant on x."""
    with torch.no_grad():
        return total_error(function(transform_input(x)), transform_output(function(x)))


def invariance_error(function: Map, x: Tensor, transform_input: Map) -> float:
    """`||f(T x) - f(x)|| / ||f(x)||`: the equivariance error for `T' = I`."""
    return equivariance_error(function, x, transform_input, lambda output: output)


def tolerance(dtype: torch.dtype) -> float:
    """The largest error that counts as zero for a floating type: 10,000 times its machine epsilon."""
    return 1e4 * torch.finfo(dtype).eps
