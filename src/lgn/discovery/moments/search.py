"""The search: complementary starts, a climb from each, products of what was found, and no solution twice."""

import math

import torch
from torch import Tensor

from lgn.data.seeds import generator_for
from lgn.discovery.moments.ascent import Moments, climb, value_and_gradient
from lgn.discovery.moments.significance import Blocks, generic_violation, power
from lgn.discovery.moments.starts import block_starts, sign_starts
from lgn.discovery.moments.tensors import rotate

SAME = 0.15  # relative distance under which two solutions are one
NEAR = 0.2  # relative distance to the identity under which a map is the identity
PROMISING = 0.07  # share of what chance violates, on the samples that search, under which a solution is judged
MOST = 48  # solutions
CROWD = 24  # so many promising ones say that the samples are too few to tell, and are not closed
RESTS = 1e-6  # a step below which a solution has converged: noise moves it by .01
SHORT = 8  # steps after which starts that come together are one
ROUNDS = 4  # of looking about every solution
ANGLES = (60, -60, 72, -72, 90, -90, 120, -120, 144, -144, 180)


def search(moments: Moments, invariants: list[tuple[Tensor, float]], starts: int, seed: int) -> Tensor:
    """Orthogonal maps that keep the moments well, the best first.

    invariants: symmetric matrices that every symmetry commutes with, and how far noise moves their eigenvalues.

    Shapes: moments by degree (classes, r, ..., r) -> (found, r, r)
    """
    generator = generator_for("search of moments", seed)
    r = next(iter(moments.values())).shape[1]
    quick = {degree: each.float() for degree, each in moments.items()}
    found = [torch.linalg.qr(torch.randn(starts, r, r, generator=generator))[0]]
    for matrix, noise in invariants:
        basis = torch.linalg.eigh(matrix).eigenvectors
        found.append(sign_starts(moments, basis, starts, generator).float())
        turned = basis.float()
        within = {degree: rotate(turned.T, each, degree) for degree, each in quick.items()}
        for width in (1.0, 4.0):
            some, mask = block_starts(matrix, width * noise, max(1, starts // 4), generator)
            inner, _ = climb(some.float(), within, steps=25, inside=mask.float())
            found.append(turned @ inner @ turned.T)
    found[0], _ = climb(found[0], quick, steps=15, restless=True)  # long steps leave poor tops
    best, values = tops(torch.cat(found), quick)
    for _ in range(ROUNDS):
        before = float(values.sum())
        moved = neighbours(best[: MOST // 2], quick, 4 * MOST)
        more = tops(moved, quick)
        best, values = distinct(torch.cat([best, more[0]]), torch.cat([values, more[1]]), MOST)
        if float(values.sum()) <= before * (1 + 1e-3):
            break
    return distinct(*climb(best, quick, steps=60), MOST)[0].double()


def tops(some: Tensor, moments: Moments) -> tuple[Tensor, Tensor]:
    """Where starts lead, and how high that is.  (count, r, r) -> (found, r, r), (found,)

    Many starts lead to one top, and most to low ones: after a few steps those that come together go on as one, and the
    lowest are left.
    """
    for most in (4 * MOST, 2 * MOST, MOST):
        some, values = distinct(*climb(some, moments, steps=SHORT), most)
    return some, values


def polish(some: Tensor, moments: Moments, target: Moments | None = None) -> Tensor:
    """To convergence, in double precision.  (count, r, r) -> (count, r, r)"""
    return climb(some.double(), moments, target, steps=400, tolerance=RESTS)[0]


def neighbours(some: Tensor, moments: Moments, most: int) -> Tensor:
    """The best maps that differ from a solution in one direction or one plane of the frame.  -> (most, r, r)

    Most wrong solutions are right but for a sign, or for the angle in a plane: signs of all directions are changed, and
    planes of neighbouring directions are turned by the angles of periods up to 6. The frame's axes are the eigenvectors
    of an invariant matrix, which symmetries act on in blocks.
    """
    r = some.shape[-1]
    moves = [torch.diag(1 - 2 * row) for row in torch.eye(r, dtype=some.dtype)]
    for axis in range(r - 1):
        for degrees in ANGLES:
            cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
            move = torch.eye(r, dtype=some.dtype)
            move[axis : axis + 2, axis : axis + 2] = torch.tensor([[cosine, -sine], [sine, cosine]])
            moves.append(move)
    moved = (some[:, None] @ torch.stack(moves)[None]).flatten(0, 1)
    values = torch.cat([value_and_gradient(part, moments, moments)[0] for part in moved.split(512)])
    # Of each solution a few, so that the best does not crowd out the others.
    each = values.view(len(some), -1).topk(min(max(1, most // len(some)), len(moves)), dim=1).indices
    return moved.view(len(some), -1, r, r)[torch.arange(len(some))[:, None], each].flatten(0, 1)


def distinct(some: Tensor, scores: Tensor, most: int) -> tuple[Tensor, Tensor]:
    """The best of every cluster of solutions, the best first, and their scores.  (count, r, r), (count,)"""
    order = scores.argsort(descending=True)
    some, scores = some[order], scores[order]
    overlap = some.flatten(1) @ some.flatten(1).T / some.shape[-1]  # the squared distance is 2 r (1 - overlap)
    near = overlap > 1 - SAME**2 / 2
    kept: list[int] = []
    for number in range(len(some)):
        if not near[number, kept].any():
            kept.append(number)
            if len(kept) == most:
                break
    return some[kept], scores[kept]


def promising(some: Tensor, blocks: Blocks, most: float = PROMISING) -> Tensor:
    """Solutions other than the identity that the samples that searched keep well, the best first."""
    eye = torch.eye(some.shape[-1], dtype=some.dtype)
    some = some[(some - eye).flatten(1).norm(dim=1) > NEAR * some.shape[-1] ** 0.5]
    shares = torch.tensor([share_of_chance(each, blocks) for each in some], dtype=torch.float64)
    order = shares.argsort()
    return some[order[shares[order] < most]]


def closed(some: Tensor, moments: Moments, blocks: Blocks, rounds: int = 3) -> Tensor:
    """With what products and inverses lead to: a group shows its other elements.  (count, r, r) -> (more, r, r)"""
    if len(some) > CROWD:
        return some
    for _ in range(rounds if len(some) else 0):
        few = some[:8]
        made = torch.cat([some, (few[:, None] @ few[None]).flatten(0, 1), some.mT])
        polished, values = climb(made, moments, steps=200, tolerance=RESTS)
        candidates = promising(distinct(polished, values, MOST)[0], blocks)
        if len(candidates) <= len(some):
            return candidates
        some = candidates
    return some


def share_of_chance(matrix: Tensor, blocks: Blocks, target: Blocks | None = None) -> float:
    """The violation over that of a map placed at random, of the degree where that is largest."""
    target = blocks if target is None else target
    return max(
        power(rotate(matrix, each, degree) - target[degree])[0]
        / max(4 * power(each)[0] * generic_violation(matrix, degree), 1e-9)
        for degree, each in blocks.items()
    )
