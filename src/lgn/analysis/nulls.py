"""Null models without space: Gaussian matrices, relabelled pixels, shuffled entries.

`lgn.analysis.smoothness` has the null models that keep the smoothness of filters.
"""

import torch
from torch import Tensor

from lgn.analysis.identifiability import TOLERANCE

GAUSSIAN, ORBITS, RELABELLED, FRESH = "gaussian", "gaussian orbits", "relabelled", "fresh starts"
SHUFFLED, REMIXED, MATCHED, REPAIRED = "shuffled entries", "remixed", "matched smoothness", "re-paired filters"


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
