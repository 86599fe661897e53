"""Matrices that commute with every symmetry, and starts from them: signs in an eigenbasis, and turns of eigenspaces."""

import math

import torch
from torch import Tensor

from lgn.discovery.moments.ascent import Moments
from lgn.discovery.moments.tensors import Blocks, rotate

# Note [Invariant matrices]
# A symmetry O commutes with every symmetric matrix that is a contraction of the moments, such as the second harmonic
# moment, M_ij = sum_kl T_ikl T_jkl, and sum_k T_ijk m_k. If the eigenvalues of such a matrix are distinct, O consists
# of r signs in its eigenbasis V, and <O . T, T> = sum (T'_ijk)^2 s_i s_j s_k with T' = V^T . T. The search changes one
# or two signs at a time. A group with irreducible representations of higher dimension makes eigenvalues equal. Then O
# has a block for every cluster of eigenvalues, and the search starts from random blocks.


def invariant_matrices(moments: Moments) -> list[Tensor]:
    """Matrices that commute with every symmetry, scaled to norm 1.  -> (r, r) each"""
    top = moments[max(moments)].flatten(2)
    found = [torch.einsum("kix,kjx->ij", top, top)]
    if 2 in moments:
        found.append(moments[2].sum(0))
    if 3 in moments:
        vectors = [moments[1].sum(0)] if 1 in moments else []
        vectors += [torch.einsum("kija,ja->i", moments[3], found[-1])]
        found += [torch.einsum("kija,a->ij", moments[3], vector) for vector in vectors]
    return [matrix / matrix.norm().clamp_min(1e-30) for matrix in found]


def invariants_and_noise(blocks: Blocks) -> list[tuple[Tensor, float]]:
    """Invariant matrices and the noise of their eigenvalues: half the difference of the matrices of two halves.

    The last matrix is the sum of all matrices, divided by their noise.
    """
    whole, even, odd = (
        invariant_matrices({degree: tensor[part].mean(0) for degree, tensor in blocks.items()})
        for part in (slice(None), slice(0, None, 2), slice(1, None, 2))
    )
    noises = [float(torch.linalg.matrix_norm(one - other, 2)) / 2 for one, other in zip(even, odd, strict=True)]
    scale = sum(1 / noise for noise in noises)
    total = torch.stack([matrix / noise for matrix, noise in zip(whole, noises, strict=True)]).sum(0) / scale
    return [*zip(whole, noises, strict=True), (total, math.sqrt(len(noises)) / scale)]


def sign_starts(moments: Moments, basis: Tensor, count: int, generator: torch.Generator) -> Tensor:
    """The best sign patterns in a basis by local search, distinct, as maps.  -> (found, r, r)"""
    r = len(basis)
    top = max(moments)
    squares = rotate(basis.T, moments[top], top).square().sum(0)
    linear = (moments[1] @ basis).square().sum(0) if 1 in moments else basis.new_zeros(r)
    signs = 2.0 * torch.randint(2, (count, r), generator=generator, dtype=basis.dtype) - 1
    signs = torch.cat([signs, 1 - 2 * torch.eye(r, dtype=basis.dtype)])
    first, second = torch.triu_indices(r, r)  # a pair of equal directions is a single flip
    for _ in range(4 * r):
        slope, curve = _derivatives(squares, signs, top)
        # Flipping i changes the value by -2 s_i g_i; flipping i and j adds 4 s_i s_j h_ij, up to third order.
        single = -2 * signs * (slope + linear)
        double = (
            single[:, first] + single[:, second] + 4 * (signs[:, first] * signs[:, second]) * curve[:, first, second]
        )
        best = torch.where(first == second, single[:, first], double).max(1)
        better = best.values > 1e-12 * float(squares.sum())
        if not better.any():
            break
        flips = torch.ones_like(signs)
        rows = better.nonzero()[:, 0]
        flips[rows, first[best.indices[rows]]] = -1
        flips[rows, second[best.indices[rows]]] = -1
        signs = signs * flips
    unique = torch.unique(signs, dim=0)
    return torch.einsum("ia,sa,ja->sij", basis, unique, basis)


def block_starts(matrix: Tensor, gap: float, count: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Random orthogonal blocks for clusters of eigenvalues nearer than `gap`, and the mask of the blocks.

    Both are in the eigenbasis of the matrix.  (r, r) -> (count, r, r), (r, r)
    """
    values = torch.linalg.eigvalsh(matrix)
    cluster = torch.cat([torch.zeros(1, dtype=torch.long), (values.diff() > gap).long().cumsum(0)])
    mask = (cluster[:, None] == cluster[None]).to(matrix.dtype)
    noise = torch.randn(count, *matrix.shape, generator=generator, dtype=matrix.dtype)
    left, _, right = torch.linalg.svd(noise * mask)
    return left @ right * mask, mask


def _derivatives(squares: Tensor, signs: Tensor, degree: int) -> tuple[Tensor, Tensor]:
    """Slope and curvature of `sum Q_ijk s_i s_j s_k` in s, without its squares `s_i^2 = 1`.

    Shapes: squares (r, ..., r), signs (S, r) -> (S, r), (S, r, r)
    """
    if degree == 2:
        return 2 * (signs @ squares - signs * squares.diagonal()), 2 * squares.expand(len(signs), *squares.shape)
    if degree == 3:
        curve = 6 * torch.einsum("ijk,sk->sij", squares, signs)
        slope = 3 * torch.einsum("ijk,sj,sk->si", squares, signs, signs)
        own = torch.einsum("iij->ij", squares)
        # Terms s_i^2 s_k do not change with s_i.
        return slope - 6 * signs * (signs @ own.T) + 3 * torch.einsum("iii->i", squares), curve
    half = torch.einsum("ijkl,sk,sl->sij", squares, signs, signs)
    own = torch.einsum("iikl,sk,sl->si", squares, signs, signs)
    return 4 * torch.einsum("sij,sj->si", half, signs) - 12 * signs * own, 12 * half
