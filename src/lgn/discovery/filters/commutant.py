"""What commutes with many symmetric matrices: a group algebra, and the generator in it."""

from itertools import permutations, product

import torch
from torch import Tensor

# An algebra is believed in where the first eigenvalue outside it is this many times the last one inside.
GAP = 10.0
MAX_DIMENSION = 8

# Note [From commutators to a generator]
# If orthogonal A commutes with symmetric M_1, ..., M_N that have nothing else in common, the X with M_i X = X M_i for
# all i are exactly the span of the powers of A: the algebra of its cyclic group, of dimension p. They are the null
# space of L = sum_i ad_i^2, where ad_i(X) = M_i X - X M_i. The algebra has p minimal idempotents P_j (the projectors
# to A's eigenspaces), which a generic Hermitian element shows as p clusters of eigenvalues; A is sum_j w_j P_j with
# the p-th roots of unity w in some order. The algebra does not say which: every real choice is a candidate.


def commutator_spectrum(matrices: Tensor, count: int = MAX_DIMENSION + 1) -> tuple[Tensor, Tensor]:
    """The lowest eigenvalues of `L = sum_i ad_i^2`, ascending, as shares of their mean, and their eigenvectors.

    L keeps symmetric and antisymmetric X apart, so its two halves are solved: a quarter of the time, of order d^6.

    Shapes: symmetric (N, d, d) -> (count,), (count, d, d) in float64, fewer where there are not so many.
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
    """Orthonormal bases of the two kinds of (d, d) matrices, as columns of flattened ones."""
    units = torch.eye(d * d, dtype=torch.float64).view(d * d, d, d)
    row, column = torch.triu_indices(d, d)
    symmetric = (units + units.mT)[row * d + column].flatten(1)
    row, column = torch.triu_indices(d, d, offset=1)
    antisymmetric = (units - units.mT)[row * d + column].flatten(1)
    return tuple((half / half.norm(dim=1, keepdim=True)).T for half in (symmetric, antisymmetric))


def eigengap(values: Tensor, dimension: int) -> float:
    """By what factor the eigenvalues jump after the given dimension: `GAP` is needed to believe in an algebra.

    The first eigenvalue is zero whatever the matrices: what follows a dimension of 1 says nothing, and counts as 0.
    """
    if not 2 <= dimension < len(values):
        return 0.0
    inside, outside = values[dimension - 1 : dimension + 1].clamp_min(1e-12).tolist()  # rounding is no jump
    return outside / inside


def cyclic_candidates(algebra: Tensor, seed: int = 0) -> Tensor:
    """All orthogonal A of order p whose powers span a commutative algebra of dimension p; none if there is none.

    See Note [From commutators to a generator].  (p, d, d) -> (candidates, d, d)
    """
    order, d = algebra.shape[0], algebra.shape[-1]
    none = algebra.new_zeros(0, d, d)
    random = torch.Generator().manual_seed(seed)
    best, separation = none.to(torch.complex128), 0.0
    for _ in range(20):  # a random element may have two eigenvalues that are close by chance
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
    """The p-th roots of unity on p projectors, so that their sum is real.  (p, d, d) -> (assignments, p)"""
    order = len(projectors)
    distances = (projectors.conj()[:, None] - projectors).flatten(2).norm(dim=-1)
    mates = distances.argmin(1).tolist()
    alone = [j for j, mate in enumerate(mates) if mate == j]
    pairs = [(j, mate) for j, mate in enumerate(mates) if j < mate and mates[mate] == j]
    empty = torch.zeros(0, order, dtype=torch.complex128)
    if len(alone) != 2 - order % 2 or len(alone) + 2 * len(pairs) != order:
        return empty  # another group: of Z2 x Z2, all four projectors are real
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
