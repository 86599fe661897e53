"""Numbers that testify: how far a matrix is from being what it should be, and a function from being equivariant.

Each function returns a number for every matrix of a batch; the assertions wrap them with a tolerance that follows the
floating type. Tests, the analysis and the command line call the same functions.
"""

from collections.abc import Callable

import torch
from torch import Tensor


def relative_error(actual: Tensor, expected: Tensor) -> Tensor:
    """`||actual - expected||_F / ||expected||_F` for each matrix.  (..., n, m) -> (...)"""
    return torch.linalg.matrix_norm(actual - expected) / torch.linalg.matrix_norm(expected)


def closure_error(matrix: Tensor, order: int) -> Tensor:
    """`||A^p - I||_F / ||I||_F`: 0 if and only if the powers of A are a cyclic group whose order divides p."""
    return _distance_to_identity(torch.linalg.matrix_power(matrix, order))


def inverse_error(matrix: Tensor, inverse: Tensor | None = None) -> Tensor:
    """`||A A~ - I||_F / ||I||_F` for a given `A~` (sec. 4.1).

    Without one, A~ is the pseudo-inverse, and the error is the root of the share of dimensions that A loses: 0 for an
    invertible matrix.
    """
    return _distance_to_identity(matrix @ (torch.linalg.pinv(matrix) if inverse is None else inverse))


def orthogonality_error(matrix: Tensor) -> Tensor:
    """`||A^T A - I||_F / ||I||_F`: 0 if and only if A is orthogonal."""
    return _distance_to_identity(matrix.mT @ matrix)


def condition_number(matrix: Tensor) -> Tensor:
    """The largest singular value over the smallest: infinite for a singular matrix."""
    singular = torch.linalg.svdvals(matrix)
    largest, smallest = singular[..., 0], singular[..., -1]
    return torch.where(smallest > 0, largest / smallest, torch.inf)  # torch's own is undefined for the zero matrix


def equivariance_error(
    function: Callable[[Tensor], Tensor],
    x: Tensor,
    transform_input: Callable[[Tensor], Tensor],
    transform_output: Callable[[Tensor], Tensor],
) -> float:
    """`||f(T x) - T' f(x)|| / ||T' f(x)||` (eq. 1): 0 if f is equivariant on x."""
    with torch.no_grad():
        expected = transform_output(function(x))
        difference = function(transform_input(x)) - expected
        return float(difference.norm() / expected.norm().clamp_min(torch.finfo(expected.dtype).tiny))


def tolerance(dtype: torch.dtype) -> float:
    """What counts as zero for an error of the given type: some thousand roundings."""
    return 1e4 * torch.finfo(dtype).eps


def assert_closed(matrix: Tensor, order: int) -> None:
    """Raise unless `A^p = I` to the tolerance of A's type."""
    _assert_small("closure_error", float(closure_error(matrix, order).max()), tolerance(matrix.dtype))


def assert_orthogonal(matrix: Tensor) -> None:
    """Raise unless `A^T A = I` to the tolerance of A's type."""
    _assert_small("orthogonality_error", float(orthogonality_error(matrix).max()), tolerance(matrix.dtype))


def assert_equivariant(
    function: Callable[[Tensor], Tensor],
    x: Tensor,
    transform_input: Callable[[Tensor], Tensor],
    transform_output: Callable[[Tensor], Tensor],
) -> None:
    """Raise unless `f(T x) = T' f(x)` to the tolerance of x's type."""
    error = equivariance_error(function, x, transform_input, transform_output)
    _assert_small("equivariance_error", error, tolerance(x.dtype))


def _distance_to_identity(matrix: Tensor) -> Tensor:
    return relative_error(matrix, torch.eye(matrix.shape[-1], dtype=matrix.dtype, device=matrix.device))


def _assert_small(name: str, error: float, allowed: float) -> None:
    if not error <= allowed:
        raise AssertionError(f"{name} is {error:.3g}, at most {allowed:.3g} is allowed")
