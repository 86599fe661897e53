"""The matrix of finite order near a given matrix: its eigenvalues are rounded to roots of unity."""

import math

import numpy as np
import torch

from lgn.linalg import polar_factor


def nearest_cyclic(matrix: np.ndarray, order: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """P, Q and R such that `A = P Q R (P Q)^-1` is near the given matrix and `A^order = I`."""
    d = len(matrix)
    if not np.allclose(matrix.T @ matrix, np.eye(d), atol=1e-6):
        values, vectors = np.linalg.eig(matrix)
        if np.linalg.cond(vectors) > 1e3:
            matrix = polar_factor(torch.from_numpy(matrix)).numpy()
        else:
            rounded = np.array([_round_to_root(value, order) for value in values])
            matrix = np.real(vectors @ np.diag(rounded) @ np.linalg.inv(vectors))
    # With P = mean((A^j)^T A^j)^(-1/2), the average of the metric over the group, P^-1 A P is orthogonal.
    powers = [np.linalg.matrix_power(matrix, j) for j in range(order)]
    metric, frame = np.linalg.eigh(sum(power.T @ power for power in powers) / order)
    p = frame @ np.diag(metric**-0.5) @ frame.T
    q, r = _round_orthogonal(np.linalg.solve(p, matrix @ p), order)
    return p, q, r


def _round_to_root(value: complex, order: int) -> complex:
    if abs(value.imag) < 1e-9 * max(abs(value), 1e-300):
        return -1.0 if value.real < 0 and order % 2 == 0 else 1.0
    angle = 2 * math.pi / order * round(math.atan2(value.imag, value.real) / (2 * math.pi / order))
    return complex(math.cos(angle), math.sin(angle))


def _round_orthogonal(matrix: np.ndarray, order: int) -> tuple[np.ndarray, np.ndarray]:
    """Q and R such that `Q R Q^T` is near an orthogonal matrix and R has rotations by multiples of `2 pi / order`."""
    from scipy.linalg import schur

    triangular, q = schur(matrix, output="real")
    r, i, d = np.zeros_like(matrix), 0, len(matrix)
    while i < d:
        pair = i + 1 < d and abs(triangular[i + 1, i]) > 1e-8
        if pair:
            root = _round_to_root(complex(triangular[i, i], triangular[i, i + 1]), order)
            r[i : i + 2, i : i + 2] = [[root.real, root.imag], [-root.imag, root.real]]
        else:
            r[i, i] = _round_to_root(complex(triangular[i, i]), order).real
        i += 2 if pair else 1
    return q, r
