"""Continuous symmetries `exp(t L)`: skew matrices L with the linear equation `L . T = 0`."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from lgn.discovery.moments.judge import Element, Judgement, decide, kept_maps
from lgn.discovery.moments.sample import View
from lgn.discovery.moments.tensors import LEVEL, Blocks, derive, on_axis, products_by_direction

#: The largest share of the terms of L . T that remains for a kept L. An L with certainly more than the second share is
#: broken.
FREE, NEARLY = 0.06, 0.03
#: The largest ratio of a zero eigenvalue to the first that is not zero.
CLEAR = 0.2
#: The largest number of generators.
MOST = 10
#: The relative distance at which two maps belong to one component.
SAME = 0.35

# Note [Cancellation]
# L . T is a sum of l terms, one for each axis of T. The terms cancel for a symmetry. For other L they are unrelated, so
# that |L . T|^2 is the sum of their squares, l |L T|^2. The ratio of both is judged: it is 1 for other L, also on
# directions with weak moments.


def find_generators(found: View, final: View) -> tuple[Element, ...]:
    """A basis of the L with `L . T = 0` that one half of the samples finds and the other half judges.

    It ends at the first L that is not kept. The matrices are those that all samples find.
    """
    judgements: list[Judgement] = []
    for skew in spectrum(found.blocks)[1][:MOST]:
        rest, terms = torch.zeros(()), torch.zeros(())
        for degree, tensor in found.judging.items():
            rest = rest + products_by_direction(derive(skew, tensor, degree)).sum(0)
            terms = terms + degree * products_by_direction(on_axis(skew, tensor, 2)).sum(0)
        products = rest.expand(2, -1, -1), terms.expand(2, -1, -1)
        judgement = decide([products], (1.0, FREE), (1.0, NEARLY), 1, LEVEL / MOST)
        if judgement.verdict == "broken" or (judgements and judgements[-1].verdict != "kept"):
            break
        judgements.append(judgement)
    values, best = spectrum(final.blocks)
    dimension = sum(judgement.verdict == "kept" for judgement in judgements)
    following = float(values[dimension]) if dimension < len(values) else math.inf
    if dimension and float(values[dimension - 1]) > CLEAR * following:
        return ()  # eigenvalues that grow without a jump are not zero
    ratios = [abs(float(value)) / max(following, 1e-12) for value in values[:dimension]]
    ratios += [1.0] * (len(judgements) - dimension)
    return tuple(
        Element(skew, judgement, ratio=ratio) for skew, judgement, ratio in zip(best, judgements, ratios, strict=False)
    )


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
    basis[torch.arange(len(rows)), rows, columns] = math.sqrt(0.5)
    return (basis - basis.mT).flatten(1)


def components(maps: Tensor, generators: Sequence[Element]) -> Tensor:
    """One map of every component of the group except the component of the identity.  (count, r, r) -> (fewer, r, r)"""
    kept = kept_maps(generators)
    if not kept or not len(maps):
        return maps
    algebra = torch.stack(kept)
    found: list[Tensor] = []
    for matrix in maps:
        earlier = [torch.eye(matrix.shape[0], dtype=matrix.dtype), *found]
        if all(nearest_in_group(other.T @ matrix, algebra) > SAME for other in earlier):
            found.append(matrix)
    return torch.stack(found) if found else maps[:0]


def nearest_in_group(target: Tensor, algebra: Tensor) -> float:
    """The relative distance of a map to `exp(algebra)`, by ascent from many starts: 100 on a circle.

    Shapes: target (r, r), algebra (k, r, r) orthonormal
    """
    r, starts = target.shape[0], min(400, 100 * len(algebra))
    generator = torch.Generator().manual_seed(0)
    # A whole turn of the slowest plane of every generator.
    frequencies = torch.linalg.eigvals(algebra).imag.abs()
    slow = torch.where(frequencies > 0.05 * frequencies.amax(1, keepdim=True), frequencies, torch.inf).amin(1)
    uniform = torch.rand(starts, len(algebra), generator=generator, dtype=torch.float64) - 0.5
    turns = 2 * math.pi / slow * uniform
    turns[0] = 0
    here = torch.linalg.matrix_exp(torch.einsum("sk,kij->sij", turns, algebra))
    for _ in range(30):
        slope = torch.einsum("kij,sij->sk", algebra, here.mT @ target)
        here = here @ torch.linalg.matrix_exp(torch.einsum("sk,kij->sij", slope, algebra))
    return float((here - target).flatten(1).norm(dim=1).min()) / math.sqrt(r)


def _crossed(moments: Tensor) -> Tensor:
    """`<T_x., T_y.>` from different blocks.  (B, classes, x, rest) -> (x, x)"""
    count = len(moments)
    total = moments.sum(0)
    same = torch.einsum("bkxr,bkyr->xy", moments, moments)
    return (torch.einsum("kxr,kyr->xy", total, total) - same) / (count * (count - 1))
