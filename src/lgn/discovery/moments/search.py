"""The search: many starts, ascent from each, neighbours and products of solutions, and no solution twice."""

import math
from collections.abc import Sequence
from itertools import product

import torch
from torch import Tensor

from lgn.data.seeds import generator_for
from lgn.discovery.moments.ascent import Moments, climb, value_and_gradient
from lgn.discovery.moments.invariants import block_starts, sign_starts
from lgn.discovery.moments.tensors import Blocks, Classes, generic_violation, permuted, power, rotate

#: The relative distance at which two solutions are one, and at which a map is the identity.
SAME, NEAR = 0.15, 0.2
#: A solution is judged if it violates less than this share of a random map, on the samples that search.
PROMISING = 0.07
#: The largest number of solutions. More promising ones than `CROWD` are not closed: the samples are too few.
MOST, CROWD = 48, 24
#: The size of a step at which ascent has converged: noise moves solutions by 0.01.
CONVERGED = 1e-6
#: The number of steps after which close starts continue as one.
SHORT = 8
#: The number of times that the neighbours of all solutions are tried, and the angles of neighbours in degrees.
ROUNDS, ANGLES = 4, (60, -60, 72, -72, 90, -90, 120, -120, 144, -144, 180)


def search(moments: Moments, invariants: list[tuple[Tensor, float]], starts: int, seed: int) -> Tensor:
    """Orthogonal maps that preserve the moments well, the best first.

    invariants: symmetric matrices that commute with every symmetry, and how far noise moves their eigenvalues.

    Shapes: moments by degree (classes, r, ..., r) -> (found, r, r)
    """
    generator = generator_for("search of moments", seed)
    r = next(iter(moments.values())).shape[1]
    quick = {degree: tensor.float() for degree, tensor in moments.items()}
    random = torch.linalg.qr(torch.randn(starts, r, r, generator=generator))[0]
    found = [climb(random, quick, steps=15, restless=True)[0]]  # long steps avoid low maxima
    for matrix, noise in invariants:
        basis = torch.linalg.eigh(matrix).eigenvectors
        found.append(sign_starts(moments, basis, starts, generator).float())
        turned = basis.float()
        within = {degree: rotate(turned.T, tensor, degree) for degree, tensor in quick.items()}
        for width in (1.0, 4.0):
            blocks, mask = block_starts(matrix, width * noise, max(1, starts // 4), generator)
            inner, _ = climb(blocks.float(), within, steps=25, inside=mask.float())
            found.append(turned @ inner @ turned.T)
    best, values = _maxima(torch.cat(found), quick)
    for _ in range(ROUNDS):
        before = float(values.sum())
        more, heights = _maxima(_neighbours(best[: MOST // 2], quick, 4 * MOST), quick)
        best, values = _distinct_best(torch.cat([best, more]), torch.cat([values, heights]), MOST)
        if float(values.sum()) <= before * (1 + 1e-3):
            break
    return _distinct_best(*climb(best, quick, steps=60), MOST)[0].double()


def polish(maps: Tensor, moments: Moments, target: Moments | None = None) -> Tensor:
    """Ascent to convergence, in double precision.  (count, r, r) -> (count, r, r)"""
    return climb(maps.double(), moments, target, steps=400, tolerance=CONVERGED)[0]


def distinct(maps: Tensor, scores: Tensor, most: int) -> list[int]:
    """The numbers of the best map of every cluster, the best first.  (count, r, r), (count,)"""
    order = scores.argsort(descending=True)
    flat = maps[order].flatten(1)
    near = flat @ flat.T / maps.shape[-1] > 1 - SAME**2 / 2  # the squared distance is 2 r (1 - overlap)
    kept: list[int] = []
    for number in range(len(order)):
        if not near[number, kept].any():
            kept.append(number)
            if len(kept) == most:
                break
    return order[kept].tolist()


def promising(
    maps: Tensor, blocks: Blocks, most: float = PROMISING, classes: Sequence[Classes | None] | None = None
) -> Tensor:
    """The numbers of the maps with a small violation on the samples that searched, the best first.

    The identity is left out, unless it permutes the classes.

    Shapes: maps (count, r, r), the permutation of the classes of every map -> (found,)
    """
    eye = torch.eye(maps.shape[-1], dtype=maps.dtype)
    shares = []
    for matrix, order in zip(maps, classes or [None] * len(maps), strict=True):
        still = order is None or list(order) == sorted(order)
        if still and float((matrix - eye).norm()) < NEAR * len(eye) ** 0.5:
            shares.append(math.inf)
            continue
        violations = {}  # relative to a random map with the same eigenvalues
        for degree, target in permuted(blocks, order, axis=1).items():
            chance = 4 * power(blocks[degree])[0] * generic_violation(matrix, degree)
            violation = power(rotate(matrix, blocks[degree], degree) - target)[0]
            violations[degree] = violation / max(chance, 1e-9)
        shares.append(max(violations.values()))
    values, numbers = torch.tensor(shares, dtype=torch.float64).sort()
    return numbers[values < most]


def closed(maps: Tensor, moments: Moments, blocks: Blocks) -> Tensor:
    """The maps with their products and inverses, elements of one group.  (count, r, r) -> (more, r, r)"""
    if len(maps) > CROWD:
        return maps
    for _ in range(3 if len(maps) else 0):
        few = maps[:8]
        made = torch.cat([maps, (few[:, None] @ few[None]).flatten(0, 1), maps.mT])
        polished, values = climb(made, moments, steps=200, tolerance=CONVERGED)
        candidates = _distinct_best(polished, values, MOST)[0]
        candidates = candidates[promising(candidates, blocks)]
        if len(candidates) <= len(maps):
            return candidates
        maps = candidates
    return maps


def _maxima(maps: Tensor, moments: Moments) -> tuple[Tensor, Tensor]:
    """The maxima that starts lead to, and their heights.  (count, r, r) -> (found, r, r), (found,)

    Many starts lead to one maximum. After a few steps, starts that are close continue as one, and the lowest are
    dropped.
    """
    for most in (4 * MOST, 2 * MOST, MOST):
        maps, values = _distinct_best(*climb(maps, moments, steps=SHORT), most)
    return maps, values


def _distinct_best(maps: Tensor, values: Tensor, most: int) -> tuple[Tensor, Tensor]:
    places = distinct(maps, values, most)
    return maps[places], values[places]


def _neighbours(maps: Tensor, moments: Moments, most: int) -> Tensor:
    """The best maps that differ from a solution in one direction or one plane of the frame.  -> (most, r, r)

    Most wrong solutions have one wrong sign, or a wrong angle in one plane. The axes of the frame are eigenvectors of
    an invariant matrix, so planes of neighbouring axes are turned, by the angles of periods up to 6.
    """
    r = maps.shape[-1]
    eye = torch.eye(r, dtype=maps.dtype)
    moves = [torch.diag(1 - 2 * row) for row in eye]
    for axis, degrees in product(range(r - 1), ANGLES):
        cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        move = eye.clone()
        move[axis : axis + 2, axis : axis + 2] = torch.tensor([[cosine, -sine], [sine, cosine]])
        moves.append(move)
    moved = (maps[:, None] @ torch.stack(moves)[None]).flatten(0, 1)
    values = torch.cat([value_and_gradient(part, moments, moments)[0] for part in moved.split(512)])
    # The best neighbours of every solution, since one solution may have the best ones of all.
    best = values.view(len(maps), -1).topk(min(max(1, most // len(maps)), len(moves)), dim=1).indices
    return moved.view(len(maps), -1, r, r)[torch.arange(len(maps))[:, None], best].flatten(0, 1)
