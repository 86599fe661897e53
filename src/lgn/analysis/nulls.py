"""Random matrices for null models: without space, and as smooth as filters.

A generator between smooth filters is smooth in both indices, whatever it does, and therefore looks Toeplitz,
block-Toeplitz, multi-scale, or like pooling. White matrices do not. `Remixed`, `Matched` and `Repaired` keep the
smoothness of inputs and outputs, and destroy the relation between them. `Remixed` also keeps the singular vectors and
cannot detect a relation that all its draws share. `Matched` keeps only their covariances, averaged over the patch.
Either one alone calls some matrices without an operator structured. The larger of the two p-values does so in at most
about one case of twenty. On U, this holds for remixed matrices on their own orbits and for `Repaired` filters.
"""

import math

import torch
from torch import Tensor

from lgn.actions import Patch, signed_permutations, unvec, vec
from lgn.analysis.identifiability import TOLERANCE
from lgn.analysis.structure import by_offset
from lgn.transforms import move_axes

GAUSSIAN, ORBITS, RELABELLED, FRESH = "gaussian", "gaussian orbits", "relabelled", "fresh starts"
SHUFFLED, REMIXED, MATCHED, REPAIRED = "shuffled entries", "remixed", "matched smoothness", "re-paired filters"
#: The largest move of a singular component in the order of singular values: U and V differ, and stay as smooth.
NEIGHBOURS = 3.0


def gaussian(count: int, d: int, random: torch.Generator, basis: Tensor | None = None) -> Tensor:
    """Matrices G of independent normal entries, or `G P_U` for an orthonormal basis (d, k) of U.  (count, d, d)

    `G P_U = (G Q) Q^T`, and `G Q` is Gaussian itself, so that only (count, d, k) numbers are drawn.
    """
    if basis is None:
        return torch.randn(count, d, d, generator=random)
    return torch.randn(count, d, basis.shape[1], generator=random) @ basis.T.float()


def own_orbits(matrices: Tensor, filters: Tensor, order: int) -> tuple[Tensor, Tensor]:
    """`F P_U` and `P_U`, where each F has the U of its own orbits: the span of `F^j W` for j < order - 1.

    A generator maps most of its U into U. A random matrix does not do so on the U of another generator, and would make
    any generator look like a finding.

    Shapes: matrices (count, d, d), filters W (d, N) -> both (count, d, d).
    """
    vectors = [torch.nn.functional.normalize(filters.to(matrices.dtype), dim=0).expand(len(matrices), -1, -1)]
    for _ in range(order - 2):
        vectors.append(torch.nn.functional.normalize(matrices @ vectors[-1], dim=-2))
    basis, _ = orthonormal(torch.cat(vectors, dim=-1))
    projectors = (basis @ basis.mT).to(matrices.dtype)
    return matrices @ projectors, projectors


def orthonormal(vectors: Tensor) -> tuple[Tensor, Tensor]:
    """An orthonormal basis of the span of unit vectors, and its coefficients: `basis = vectors @ mixing`.

    Directions below rounding are columns of zeros. Computed in float64, for nearly parallel vectors.

    Shapes: (..., d, N) -> (..., d, N), (..., N, N)
    """
    vectors = vectors.double()
    squares, directions = torch.linalg.eigh(vectors.mT @ vectors)  # the Gram matrix is the smaller problem
    kept = squares > (TOLERANCE * squares[..., -1:].sqrt()).square()
    mixing = directions * torch.where(kept, squares, torch.inf).rsqrt()[..., None, :]
    return vectors @ mixing, mixing


def shuffled(matrix: Tensor, count: int, random: torch.Generator) -> Tensor:
    """The entries of a matrix in random order.  (d, d) -> (count, d, d)"""
    places = torch.rand(count, matrix.numel(), generator=random).argsort(-1)
    return matrix.flatten()[places].view(count, *matrix.shape)


def relabelled(matrix: Tensor, count: int, random: torch.Generator) -> Tensor:
    """`P A P^T` for random permutations P: the same spectrum and rank, without space.  (d, d) -> (count, d, d)"""
    d = matrix.shape[-1]
    labels = torch.rand(count, d, generator=random).argsort(-1)
    places = labels[:, :, None] * d + labels[:, None, :]
    return matrix.flatten()[places]


def beta_p_value(share: Tensor, dimension: int, d: int) -> Tensor:
    """The probability that a Gaussian (d, d) matrix has at least this share of energy in a space of `dimension`.

    The share is a ratio of independent chi-squares: exactly Beta(r / 2, (d^2 - r) / 2) for dimension r.
    """
    from scipy.special import betaincc

    if dimension >= d * d:
        return torch.ones_like(share)
    return torch.as_tensor(betaincc(dimension / 2, (d * d - dimension) / 2, share.double().numpy()))


def turned_places(patch: Patch) -> Tensor:
    """The new place of every pixel under the turns and flips of the patch: (Q, d).

    A square has 8, a signal 2 (with its reversal), a cube 48.
    """
    if len(patch) != 2:
        whole = unvec(torch.arange(math.prod(patch)), patch)
        moved = [move_axes(whole, symmetry) for symmetry in signed_permutations(len(patch))]
        return torch.stack([vec(places, len(patch)) for places in moved if places.shape == whole.shape])
    n, m = patch
    places = torch.arange(n * m).view(m, n).T  # the place in vec of every pixel (row, column)
    turns = [torch.rot90(places, k) for k in range(4)]
    both = [image for turn in turns for image in (turn, turn.flip(1)) if image.shape == (n, m)]
    return torch.stack([image.T.flatten() for image in both])


class Remixed:
    """`mu + Q U S E V'^T`: the singular components of `A - mu`, mixed anew.

    mu is the mean entry of A, E are random signs, and Q is a random turn or flip of the output pixels. V' has the
    columns of V, exchanged with neighbours in the order of singular values: otherwise a symmetric A would stay
    symmetric.
    """

    def __init__(self, matrix: Tensor, patch: Patch) -> None:
        self.mean = float(matrix.mean())
        u, s, vh = torch.linalg.svd(matrix.double() - self.mean)
        self.left, self.right = (u * s)[turned_places(patch)].float(), vh.float()  # (Q, d, d), (d, d)

    def __call__(self, count: int, random: torch.Generator) -> Tensor:
        d = self.right.shape[0]
        signs = torch.randint(2, (count, d, 1), generator=random) * 2 - 1
        order = (torch.arange(d) + NEIGHBOURS * torch.rand(count, d, generator=random)).argsort(-1)
        turn = torch.randint(len(self.left), (count,), generator=random)
        return self.mean + self.left[turn] @ (signs * self.right[order])


class Matched:
    """`mu + B'`: random matrices with the singular values of `B = A - mu` and, nearly, its smoothness.

    `K_1^(1/2) Z K_2^(1/2)` with Gaussian Z has rows and columns as smooth as those of B. K_1 and K_2 are `B B^T` and
    `B^T B`, averaged over pairs of pixels with the same offset. The singular values are then replaced by those of B.
    """

    def __init__(self, matrix: Tensor, patch: Patch) -> None:
        matrix = matrix.double()
        self.mean = float(matrix.mean())
        centred = matrix - self.mean
        self.values = torch.linalg.svdvals(centred).float()
        covariances = (centred @ centred.T, centred.T @ centred)
        self.left, self.right = (_root(by_offset(covariance, patch)).float() for covariance in covariances)

    def __call__(self, count: int, random: torch.Generator) -> Tensor:
        d = len(self.values)
        u, _, vh = torch.linalg.svd(self.left @ torch.randn(count, d, d, generator=random) @ self.right)
        return self.mean + (u * self.values) @ vh


class Repaired:
    """Generators of filter sets whose elements come from different sets of the same network.

    For each element j a set h_j and a turn or flip Q_j are drawn: `w'_j = Q_j w_(h_j, j)` for all columns of the set,
    with the norms of the own filters. A' solves `A' w'_j = w'_(j+1)` by least squares, weighted by `1 / |w'_j|`.

    Shapes: sets (S, order, d, N) -> draws `A' P_U'` and `P_U'`, both (count, d, d).
    """

    def __init__(self, sets: Tensor, own: int, patch: Patch) -> None:
        norms = sets[own].norm(dim=1)  # (order, N)
        self.unit = torch.nn.functional.normalize(sets, dim=2)
        self.growth = norms[1:] / norms[:-1].clamp(min=torch.finfo(norms.dtype).tiny)
        self.turns = turned_places(patch)

    def __call__(self, count: int, random: torch.Generator) -> tuple[Tensor, Tensor]:
        sets, order, _, columns = self.unit.shape
        chosen = torch.randint(sets, (count, order), generator=random)
        turn = self.turns[torch.randint(len(self.turns), (count, order), generator=random)]
        filters = self.unit[chosen, torch.arange(order)]  # (count, order, d, N)
        filters = filters.gather(2, turn[..., None].expand(-1, -1, -1, columns))
        before = filters[:, :-1].transpose(1, 2).flatten(2)  # (count, d, (order - 1) N)
        after = (filters[:, 1:] * self.growth[:, None]).transpose(1, 2).flatten(2)
        basis, mixing = orthonormal(before)
        return (after @ mixing @ basis.mT).float(), (basis @ basis.mT).float()


def _root(covariance: Tensor) -> Tensor:
    """The symmetric square root; negative eigenvalues, which averaging can make, count as 0."""
    values, vectors = torch.linalg.eigh(covariance)
    return (vectors * values.clamp(min=0).sqrt()) @ vectors.T
