"""Linear algebra: nearest orthogonal matrices, assignments, least squares, and float64 on every device."""

import torch
from torch import Tensor


def double(tensor: Tensor) -> Tensor:
    """The tensor in float64: on its own device if the device has float64, else on the CPU (Apple MPS has none)."""
    return tensor.cpu().double() if tensor.device.type == "mps" else tensor.double()


def identity_like(matrix: Tensor) -> Tensor:
    """The identity matrix of the size, type and device of a batch of matrices.  (..., d, d) -> (d, d)"""
    return torch.eye(matrix.shape[-1], dtype=matrix.dtype, device=matrix.device)


def polar_factor(matrix: Tensor) -> Tensor:
    """The orthogonal polar factor `U V^T`, the nearest orthogonal matrix in the Frobenius norm.

    Shapes: (..., d, d) -> (..., d, d)
    """
    u, _, vh = torch.linalg.svd(matrix)
    return u @ vh


def fast_polar_factor(matrix: Tensor, steps: int = 40) -> Tensor:
    """The same by the Newton-Schulz iteration `X <- X (3 I - X^T X) / 2`, faster for a large batch of small matrices.

    The iteration takes every singular value in (0, 1] to 1. Matrices that are too close to singular to converge within
    `steps` are decomposed after all.
    """
    x = matrix / torch.linalg.matrix_norm(matrix, keepdim=True).clamp_min(torch.finfo(matrix.dtype).tiny)
    eye = identity_like(matrix)
    tolerance = 50 * torch.finfo(matrix.dtype).eps
    for step in range(steps):
        gram = x.mT @ x
        if step % 4 == 3 and float((gram - eye).abs().max()) < tolerance:
            return x
        x = torch.baddbmm(x, x, gram, beta=1.5, alpha=-0.5) if x.ndim == 3 else 1.5 * x - 0.5 * x @ gram
    return polar_factor(matrix)


def assignment(scores: Tensor) -> Tensor:
    """The one-to-one assignment of rows to columns with the largest total score: the column of each row.

    Shapes: (..., n, m) with n <= m -> (..., n), integers
    """
    from scipy.optimize import linear_sum_assignment

    values = double(scores.detach()).cpu().reshape(-1, *scores.shape[-2:])
    columns = [torch.from_numpy(linear_sum_assignment(table.numpy(), maximize=True)[1]) for table in values]
    return torch.stack(columns).view(scores.shape[:-1]).to(scores.device)


def nearest_permutation(matrix: Tensor) -> Tensor:
    """The permutation matrix that is nearest in the Frobenius norm.  (..., d, d) -> (..., d, d)"""
    return torch.zeros_like(matrix).scatter(-1, assignment(matrix).unsqueeze(-1), 1)


def cosine(a: Tensor, b: Tensor) -> float:
    """`<a, b> / (|a| |b|)` over all entries of two tensors of one shape, in float64."""
    a, b = double(a), double(b)
    return float((a * b).sum() / (a.norm() * b.norm()))


def least_squares(x: Tensor, y: Tensor, ridge: float = 1e-24) -> Tensor:
    """`argmin_A |Y - X A^T|^2 + ridge |X|_2^2 |A|^2`, exact where the rows of X span the space.

    It is computed from the singular values of X, since the normal equations would square its condition number. A
    vanishes on directions that X does not span.

    Shapes: x (N, d), y (N, d) or (S, N, d) -> (d, d) or (S, d, d), float64
    """
    x, y = double(x), double(y)
    left, values, right = torch.linalg.svd(x, full_matrices=False)  # x = left diag(values) right
    kept = values > values[0] * max(x.shape) * torch.finfo(torch.float64).eps
    gain = torch.where(kept, values / (values**2 + ridge * values[0] ** 2), torch.zeros_like(values))
    return ((left * gain).T @ y).mT @ right
