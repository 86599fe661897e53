"""`Cyclic`: matrices whose powers return to the identity, so that the filter set is a true group."""

import math
import warnings

import numpy as np
import torch
from torch import Tensor, nn

from lgn.generators.base import Generator, require_invertible
from lgn.generators.orthogonal import OrthogonalWeight, nearest_orthogonal
from lgn.measures import closure_error

# Note [Conditioning of S]
# A = S R S^-1 has A^p = I for any invertible S, but in floating point only as well as S is conditioned. Left free, S
# drifts towards singular matrices in training. It is therefore written in polar form, S = P Q, with Q orthogonal and
# P = I + radius * 2 H (I + H^2)^-1 for a free symmetric H: the fraction maps the spectrum of H into [-1, 1], so P's
# lies in [1 - radius, 1 + radius]. Every S of bounded condition is reached, up to a scale that A does not see.
# Radius 0.6 bounds the condition by 4; a start that needs more gets what it needs.
DEFAULT_RADIUS = 0.6


class Cyclic(Generator):
    """`A = S R S^-1` with `A^p = I`: a cyclic group of the given order (sec. 3).

    R has 2x2 rotations by multiples of `2 pi / p` and 1x1 blocks of 1 (and -1 for even p). How many of each is fixed
    at the start, by rounding the eigenvalues of the starting matrix to p-th roots of unity (a negative real one to 1
    for odd p); S is learned. A start that is a cyclic group already is kept exactly. One whose eigenvectors are nearly
    dependent is first replaced by its polar factor. See Note [Conditioning of S].
    """

    name = "cyclic"
    law = "A^p = I"
    radius: Tensor
    blocks: Tensor

    def _start_from(self, start: Tensor) -> None:
        require_invertible(start, "Cyclic")
        flat = start.flatten(0, 1).double().cpu().numpy()
        parts = [_decompose(matrix, self.order) for matrix in flat]
        p, q, r = (torch.as_tensor(np.stack(part)).to(start).reshape(start.shape) for part in zip(*parts, strict=True))
        eye = torch.eye(start.shape[-1]).to(start)
        if torch.allclose(r, eye.expand_as(r)):
            warnings.warn(
                f"every eigenvalue of start rounds to 1 at order {self.order}, so Cyclic is the identity for ever; "
                "start from 'orthogonal' or from a matrix of that order",
                stacklevel=4,
            )
        self.turns = OrthogonalWeight(q)
        eigenvalues, vectors = torch.linalg.eigh(p)
        low, high = eigenvalues[..., :1], eigenvalues[..., -1:]
        offset = 2 * eigenvalues / (low + high) - 1  # the scale of P is free: its spectrum is centred on 1
        reach = offset.abs().amax(-1, keepdim=True)
        radius = torch.minimum(reach / 0.95, (1 + reach) / 2).clamp_min(DEFAULT_RADIUS)  # below 1, above reach
        share = offset / radius
        stretch = share / (1 + (1 - share**2).sqrt())  # the inverse of x -> 2 x / (1 + x^2)
        self.stretch = nn.Parameter((vectors * stretch.unsqueeze(-2)) @ vectors.mT)
        self.register_buffer("radius", radius.unsqueeze(-1))
        self.register_buffer("blocks", r)

    def matrix(self) -> Tensor:
        # In float64 throughout: the law is as exact as the type of the result allows.
        h = (self.stretch + self.stretch.mT).double() / 2
        eye = torch.eye(h.shape[-1], dtype=h.dtype, device=h.device)
        p = eye + self.radius.double() * torch.linalg.solve(eye + h @ h, 2 * h)
        s = p @ self.turns().double()
        product = torch.linalg.solve(s, s @ self.blocks.double(), left=False)
        return product.to(self.stretch.dtype)

    def determined(self, bases: int) -> int:
        return min(bases * self.order, self.patch[0] * self.patch[1])  # the last element is mapped to the first

    @torch.no_grad()
    def law_error(self) -> Tensor:
        return closure_error(self.matrix(), self.order)

    def extra_repr(self) -> str:
        return super().extra_repr() + f", p = {self.order}"


def _decompose(matrix: np.ndarray, order: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """P, Q, R with `P Q R (P Q)^-1` a cyclic matrix of the order near the given one."""
    d = len(matrix)
    if not np.allclose(matrix.T @ matrix, np.eye(d), atol=1e-6):
        values, vectors = np.linalg.eig(matrix)
        if np.linalg.cond(vectors) > 1e3:
            matrix = nearest_orthogonal(torch.from_numpy(matrix)).numpy()
        else:
            rounded = np.array([_round_to_root(value, order) for value in values])
            matrix = np.real(vectors @ np.diag(rounded) @ np.linalg.inv(vectors))
    # Averaging the metric over the group makes the action orthogonal: P^-1 A P with P = mean((A^j)^T A^j)^(-1/2).
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
    """Q, R with `Q R Q^T` near an orthogonal matrix, R made of rotations by multiples of `2 pi / order`."""
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
