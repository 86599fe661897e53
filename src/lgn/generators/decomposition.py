"""The representation of a group near given matrices, decomposed as `A_a = P Q R_a (P Q)^-1`."""

import math

import numpy as np
import torch
from torch import Tensor

from lgn.groups import Group
from lgn.linalg import polar_factor

CONDITION = 1e4  # if the condition number of the averaged metric is larger, polar factors are decomposed instead
ITERATIONS = 20  # the largest number of iterations of the frame

# Note [Nearest representation]
# If rho is a representation, P = mean(rho(g)^T rho(g))^(-1/2), the average of the metric over the group, makes
# P^-1 rho(g) P orthogonal. Its character determines the multiplicity of each irreducible representation in it, and R is
# the direct sum with these multiplicities. Q maximises sum_g tr(rho(g)^T Q R(g) Q^T) by the iteration
# Q <- polar(mean rho(g) Q R(g)^T), which never decreases it. If rho is a representation, the first average is an
# intertwiner, and so is its polar factor.


def decompose(matrices: np.ndarray, group: Group) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """P, Q and R of a representation near the given matrices. See Note [Nearest representation].

    For a group with one generator, its eigenvalues are rounded to roots of unity.

    Shapes: (generators, d, d) -> (d, d), (d, d), (generators, d, d)
    """
    if len(group.generators) == 1:
        return _nearest_cyclic(matrices[0], group.order)
    given = torch.from_numpy(matrices)
    elements = group.representation(given)
    metric = (elements.mT @ elements).mean(0)
    if not torch.isfinite(metric).all() or float(torch.linalg.cond(metric)) > CONDITION:
        elements = group.representation(polar_factor(given))
        metric = torch.eye(given.shape[-1], dtype=given.dtype)
    values, frame = torch.linalg.eigh(metric)
    p = frame @ torch.diag(values**-0.5) @ frame.T
    elements = torch.linalg.solve(p, elements @ p)
    blocks = blocks_of(elements.diagonal(dim1=-2, dim2=-1).sum(-1), elements.shape[-1], group)
    q = _frame(elements, blocks)
    return p.numpy(), q.numpy(), blocks[list(group.generator_elements)].numpy()


def blocks_of(character: Tensor, d: int, group: Group) -> Tensor:
    """The direct sum of irreducible representations whose character is nearest to the given one.

    Shapes: character (order,), the wanted trace of every element -> (order, d, d)
    """
    irreps = group.irreps()
    sizes = [irrep.shape[-1] for irrep in irreps]
    characters = [irrep.diagonal(dim1=-2, dim2=-1).sum(-1) for irrep in irreps]
    wanted = [max(0.0, float((character * own).sum() / own.square().sum())) for own in characters]
    counts = _rounded(wanted, sizes, d)
    parts = [irrep for irrep, count in zip(irreps, counts, strict=True) for _ in range(count)]
    return torch.stack([torch.block_diag(*(part[g] for part in parts)) for g in range(group.order)])


def _rounded(wanted: list[float], sizes: list[int], d: int) -> list[int]:
    """Whole numbers near the wanted ones with `sum count * size = d`, by largest remainders."""
    counts = [int(value + 1e-6) for value in wanted]
    # Matrices that are not a representation can have a larger sum. The count with the largest excess is reduced first.
    while sum(count * size for count, size in zip(counts, sizes, strict=True)) > d:
        most = max((i for i in range(len(counts)) if counts[i]), key=lambda i: counts[i] - wanted[i])
        counts[most] -= 1
    while (room := d - sum(count * size for count, size in zip(counts, sizes, strict=True))) > 0:
        fitting = [i for i, size in enumerate(sizes) if size <= room]
        counts[max(fitting, key=lambda i: wanted[i] - counts[i])] += 1
    return counts


def _frame(elements: Tensor, blocks: Tensor) -> Tensor:
    """The orthogonal Q with `rho(g) Q` nearest to `Q R(g)` for all g."""
    d = elements.shape[-1]
    # A fixed random start: the randomness of a generator is that of its starting matrices.
    q = polar_factor(torch.randn(d, d, generator=torch.Generator().manual_seed(0), dtype=elements.dtype))
    for _ in range(ITERATIONS):
        before, q = q, polar_factor((elements @ q @ blocks.mT).mean(0))
        if float((q - before).norm()) < 1e-12 * d:
            break
    return q


def _nearest_cyclic(matrix: np.ndarray, order: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """P, Q and R (1, d, d) such that `A = P Q R (P Q)^-1` is near the given matrix (d, d) and `A^order = I`."""
    d = len(matrix)
    if not np.allclose(matrix.T @ matrix, np.eye(d), atol=1e-6):
        values, vectors = np.linalg.eig(matrix)
        if np.linalg.cond(vectors) > 1e3:
            matrix = polar_factor(torch.from_numpy(matrix)).numpy()
        else:
            rounded = np.array([_round_to_root(value, order) for value in values])
            matrix = np.real(vectors @ np.diag(rounded) @ np.linalg.inv(vectors))
    powers = [np.linalg.matrix_power(matrix, j) for j in range(order)]
    metric, frame = np.linalg.eigh(sum(power.T @ power for power in powers) / order)
    p = frame @ np.diag(metric**-0.5) @ frame.T
    q, r = _round_orthogonal(np.linalg.solve(p, matrix @ p), order)
    return p, q, r[None]


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
