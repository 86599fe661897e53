"""The matrices that commute with many symmetric matrices: a group algebra, and the generator in it."""

from itertools import permutations, product

import torch
from torch import Tensor

GAP = 10.0  # the smallest ratio of the first eigenvalue outside of an algebra to the last eigenvalue inside
MAX_DIMENSION = 8

# Note [From commutators to a generator]
# If an orthogonal A commutes with symmetric M_1, ..., M_N that have nothing else in common, the X with M_i X = X M_i
# for all i are the span of the powers of A: the algebra of its cyclic group, of dimension p. They are the null space of
# L = sum_i ad_i^2, where ad_i(X) = M_i X - X M_i. The algebra has p minimal idempotents P_j, the projectors onto the
# eigenspaces of A, which are p clusters of eigenvalues of a generic Hermitian element. A is sum_j w_j P_j with the p-th
# roots of unity w in an order that the algebra does not determine: every order that makes A real is a candidate.


def commutator_spectrum(matrices: Tensor, count: int = MAX_DIMENSION + 1) -> tuple[Tensor, Tensor]:
    """The lowest eigenvalues of `L = sum_i ad_i^2`, ascending, as shares of their mean, and their eigenvectors.

    L maps symmetric X to symmetric X and antisymmetric X to antisymmetric X, so its two halves are solved separately,
    in a quarter of the time, which is of order d^6.

    Shapes: symmetric (N, d, d) -> (count,), (count, d, d) in float64, with a smaller count if L is smaller
    """
    d = matrices.shape[-1]
    m = matrices.double()
    # (M (x) M)[(a, b), (c, e)] = M[a, c] M[b, e], summed over matrices by one product
    products = (m.flatten(1).T @ m.flatten(1)).view(d, d, d, d).permute(0, 2, 1, 3).reshape(d * d, d * d)
    squares, eye = (m @ m).sum(0), torch.eye(d, dtype=m.dtype)
    laplacian = torch.kron(squares, eye) + torch.kron(eye, squares) - 2 * products
    values, vectors = [], []
    for basis in _symmetric_and_antisymmetric(d):
        half_values, half_vectors = torch.linalg.eigh(basis.T @ laplacian @ basis)
        values.append(half_values[:count])
        vectors.append((basis @ half_vectors[:, :count]).T)
    merged, order = torch.cat(values).sort()
    lowest = order[:count]
    mean = laplacian.diagonal().mean().clamp_min(torch.finfo(m.dtype).tiny)
    return merged[: len(lowest)] / mean, torch.cat(vectors)[lowest].unflatten(-1, (d, d))


def _symmetric_and_antisymmetric(d: int) -> tuple[Tensor, Tensor]:
    """Orthonormal bases of the symmetric and of the antisymmetric (d, d) matrices, flattened to columns."""
    units = torch.eye(d * d, dtype=torch.float64).view(d * d, d, d)
    row, column = torch.triu_indices(d, d)
    symmetric = (units + units.mT)[row * d + column].flatten(1)
    row, column = torch.triu_indices(d, d, offset=1)
    antisymmetric = (units - units.mT)[row * d + column].flatten(1)
    return tuple((half / half.norm(dim=1, keepdim=True)).T for half in (symmetric, antisymmetric))


def eigengap(values: Tensor, dimension: int) -> float:
    """The factor by which the eigenvalues jump after the given dimension; an algebra needs `GAP`.

    0 for a dimension of 1: the first eigenvalue is zero for all matrices, so the jump after it has no meaning.
    """
    if not 2 <= dimension < len(values):
        return 0.0
    inside, outside = values[dimension - 1 : dimension + 1].clamp_min(1e-12).tolist()  # rounding is not a jump
    return outside / inside


def cyclic_candidates(algebra: Tensor, seed: int = 0) -> Tensor:
    """All orthogonal A of order p whose powers span an algebra of dimension p; none if the group is not cyclic.

    See Note [From commutators to a generator].  (p, d, d) -> (candidates, d, d)
    """
    order, d = algebra.shape[0], algebra.shape[-1]
    random = torch.Generator().manual_seed(seed)
    best, separation = torch.zeros(0, d, d, dtype=torch.complex128), 0.0
    for _ in range(20):  # two eigenvalues of a random element may be close by chance
        element = torch.einsum("i,iab->ab", torch.randn(order, generator=random, dtype=algebra.dtype), algebra)
        hermitian = torch.complex((element + element.T) / 2, (element - element.T) / 2)
        values, vectors = torch.linalg.eigh(hermitian)
        gaps = values.diff()
        cuts = (gaps.topk(order - 1).indices + 1).sort().values
        clear = float(gaps[cuts - 1].min() / (values[-1] - values[0]))
        if clear > separation:
            parts = torch.tensor_split(vectors, cuts.tolist(), dim=1)
            best, separation = torch.stack([part @ part.mH for part in parts]), clear
    roots = _real_assignments(best)
    return torch.einsum("cj,jab->cab", roots, best).real.to(algebra.dtype)


def _real_assignments(projectors: Tensor) -> Tensor:
    """All assignments of the p-th roots of unity to p projectors for which the sum is real.  -> (assignments, p)"""
    order = len(projectors)
    distances = (projectors.conj()[:, None] - projectors).flatten(2).norm(dim=-1)
    mates = distances.argmin(1).tolist()
    alone = [j for j, mate in enumerate(mates) if mate == j]
    pairs = [(j, mate) for j, mate in enumerate(mates) if j < mate and mates[mate] == j]
    empty = torch.zeros(0, order, dtype=torch.complex128)
    if len(alone) != 2 - order % 2 or len(alone) + 2 * len(pairs) != order:
        return empty  # another group: all four projectors of C2 x C2 are real
    units = torch.exp(2j * torch.pi * torch.arange(order, dtype=torch.float64) / order)
    rows = []
    for real in permutations([0, order // 2][: len(alone)]):
        for turns in permutations(range(1, len(pairs) + 1)):
            for signs in product((1, -1), repeat=len(pairs)):
                row = torch.zeros(order, dtype=torch.complex128)
                for j, power in zip(alone, real, strict=True):
                    row[j] = units[power]
                for (j, mate), turn, sign in zip(pairs, turns, signs, strict=True):
                    row[j], row[mate] = units[sign * turn % order], units[-sign * turn % order]
                rows.append(row)
    return torch.stack(rows)
