"""The span U of the vectors that a generator was applied to. The data determine the generator on U only.

A filter set of order p applies its generator to `W, phi(W), ..., phi^(p-2)(W)` for each of N bases that share it. U has
at most N (p - 1) dimensions, with N = 1 (`channel`), C (`set`), K C (`layer`) or L K C (`network`). Two generators that
agree on U give the same network. Off U, a generator depends on its start, its penalty and the path of the optimiser.
"""

import torch
from torch import Tensor

#: Smallest singular value of the unit vectors, relative to the largest: well above the rounding of a float32 model.
TOLERANCE = 1e-6


def applied_to(matrix: Tensor, filters: Tensor, order: int) -> Tensor:
    """The vectors that A (d, d) is applied to in orbits of filters (d, N): `A^j W` for j < p - 1, (d, N (p - 1))."""
    vectors = [filters]
    for _ in range(order - 2):
        vectors.append(matrix @ vectors[-1])
    return torch.cat(vectors, dim=-1)


def span(vectors: Tensor) -> Tensor:
    """An orthonormal basis of the span of vectors (d, N), (d, dim U).

    Vectors are scaled to length one first, so that a direction counts even if the orbit shrinks along it.
    """
    lengths = vectors.double().norm(dim=0)
    unit = vectors.double()[:, lengths > 0] / lengths[lengths > 0]
    if unit.shape[1] == 0:
        return unit
    left, values, _ = torch.linalg.svd(unit, full_matrices=False)
    return left[:, values > TOLERANCE * values[0]]


def energy_share(matrix: Tensor, basis: Tensor) -> float:
    """`|A P_U|^2 / |A|^2`, for an orthonormal basis (d, k) of U; 0 for a matrix of zeros."""
    whole = float(matrix.double().square().sum())
    return float((matrix.double() @ basis).square().sum()) / whole if whole > 0 else 0.0


def change_share(matrix: Tensor, start: Tensor | None, basis: Tensor) -> float | None:
    """`|(A - A_0) P_U|^2 / |A - A_0|^2`; None if the start is not known or training changed nothing."""
    if start is None or float((matrix - start).norm()) <= 1e-7 * float(matrix.norm()):
        return None
    return energy_share(matrix - start, basis)
