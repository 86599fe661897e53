"""Continuous symmetries: skew L with `L . T = 0`, a linear problem; products of different blocks have no noise."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from lgn.discovery.moments.judge import Verdict
from lgn.discovery.moments.significance import Blocks, block_statistic, products_by_direction
from lgn.discovery.moments.tensors import derive
from lgn.stats import student_quantile

FREE, NEARLY = 0.06, 0.03  # of the terms of L . T: what may be left where they cancel, and what must not for certain
CLEAR = 0.2  # the largest ratio of a zero to the first eigenvalue that is none
MOST = 10  # generators of one algebra

# Note [Cancellation]
# L . T is a sum over the axes of T. If its l terms had nothing to do with each other, |L . T|^2 would be the sum of
# their squares, l |L T|^2; for a symmetry they cancel. Their ratio does not become small because L acts on directions
# that T says little about: it is 1 there as elsewhere.


@dataclass(frozen=True)
class Cancellation:
    """What is left of `L . T` on samples that did not find L, as a share of its terms, with its upper bound."""

    share: float
    noise: float
    bound: float
    verdict: Verdict
    more: float


def form(blocks: Blocks) -> Tensor:
    """The quadratic form `|L . T|^2` on skew matrices, unbiased.  -> (q, q) in the basis of `skew_basis`

    `|L . T|^2 = l tr(L M L^T) + l (l - 1) sum L_ac L_bd N_(cb)(ad)`, with `M = <T_a.., T_b..>` and
    `N_(cb)(ad) = <T_cb.., T_ad..>`.
    """
    r = next(iter(blocks.values())).shape[2]
    total = torch.zeros(r * r, r * r, dtype=torch.float64)
    eye = torch.eye(r, dtype=torch.float64)
    for degree, moments in blocks.items():
        first = _crossed(moments.reshape(*moments.shape[:2], r, -1))
        total += degree * torch.einsum("ab,cd->acbd", eye, first).reshape(r * r, r * r)
        if degree > 1:
            pairs = _crossed(moments.reshape(*moments.shape[:2], r * r, -1)).view(r, r, r, r)  # c, b, a, d
            total += degree * (degree - 1) * pairs.permute(2, 0, 1, 3).reshape(r * r, r * r)
    basis = skew_basis(r)
    inner = basis @ total @ basis.T
    return (inner + inner.T) / 2


def spectrum(blocks: Blocks) -> tuple[Tensor, Tensor]:
    """Eigenvalues of `form` as shares of their median, and unit skew matrices.  -> (q,), (q, r, r)"""
    values, vectors = torch.linalg.eigh(form(blocks))
    r = next(iter(blocks.values())).shape[2]
    return values / values.median().clamp_min(1e-300), (vectors.T @ skew_basis(r)).view(-1, r, r)


def skew_basis(r: int) -> Tensor:
    """Orthonormal skew matrices, flattened.  -> (r (r - 1) / 2, r^2)"""
    rows, columns = torch.triu_indices(r, r, offset=1)
    basis = torch.zeros(len(rows), r, r, dtype=torch.float64)
    number = torch.arange(len(rows))
    basis[number, rows, columns] = math.sqrt(0.5)
    basis[number, columns, rows] = -math.sqrt(0.5)
    return basis.flatten(1)


def judge_generator(skew: Tensor, blocks: Blocks, level: float) -> Cancellation:
    """Do the terms of `L . T` cancel?  (r, r)"""
    left, terms = torch.zeros(()), torch.zeros(())
    for degree, moments in blocks.items():
        left = left + products_by_direction(derive(skew, moments, degree)).sum(0)
        one = torch.movedim(torch.tensordot(moments, skew, dims=([2], [1])), -1, 2)
        terms = terms + degree * products_by_direction(one).sum(0)
    bound = student_quantile(1 - level, len(left) - 1)
    (top, noise), (below, _) = block_statistic(left), block_statistic(terms)
    excess, error = block_statistic(left - FREE * terms)
    certain, scatter = block_statistic(left - NEARLY * terms)
    upper, lower, room = float(excess + bound * error), float(certain - bound * scatter), FREE * float(below)
    if room <= 0:
        return Cancellation(math.inf, math.inf, math.inf, "undecided", math.inf)
    verdict: Verdict = "broken" if lower > 0 else "kept" if upper < 0 else "undecided"
    more = 1.0 if verdict != "undecided" else (upper + room) / room
    ratio = FREE / room
    return Cancellation(float(top) * ratio, float(noise) * ratio, float(top + bound * noise) * ratio, verdict, more)


def nearest_in_group(target: Tensor, algebra: Tensor, steps: int = 30) -> float:
    """The relative distance of a map to `exp(algebra)`, by ascent from many starts: 100 on a circle.

    Shapes: target (r, r), algebra (k, r, r) orthonormal
    """
    r, starts = target.shape[0], min(400, 100 * len(algebra))
    generator = torch.Generator().manual_seed(0)
    # A whole turn of the slowest plane of each generator.
    frequencies = torch.linalg.eigvals(algebra).imag.abs()
    slow = torch.where(frequencies > 0.05 * frequencies.amax(1, keepdim=True), frequencies, torch.inf).amin(1)
    uniform = torch.rand(starts, len(algebra), generator=generator, dtype=torch.float64) - 0.5
    turns = 2 * math.pi / slow * uniform
    turns[0] = 0
    here = torch.linalg.matrix_exp(torch.einsum("sk,kij->sij", turns, algebra))
    for _ in range(steps):
        slope = torch.einsum("kij,sij->sk", algebra, here.mT @ target)
        here = here @ torch.linalg.matrix_exp(torch.einsum("sk,kij->sij", slope, algebra))
    return float((here - target).flatten(1).norm(dim=1).min()) / math.sqrt(r)


def _crossed(moments: Tensor) -> Tensor:
    """`<T_x., T_y.>` from different blocks.  (B, classes, x, rest) -> (x, x)"""
    count = len(moments)
    total = moments.sum(0)
    same = torch.einsum("bkxr,bkyr->xy", moments, moments)
    return (torch.einsum("kxr,kyr->xy", total, total) - same) / (count * (count - 1))
