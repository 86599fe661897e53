"""The search: complementary starts, a climb from each, products of what was found, and no solution twice."""

import torch
from torch import Tensor

from lgn.discovery.moments.ascent import Moments, climb
from lgn.discovery.moments.starts import block_starts, sign_starts

SAME = 0.15  # relative distance under which two solutions are one
PROMISING = 0.35  # share of what chance violates, on the samples that search, under which a solution is followed up
MOST = 48  # solutions


def search(moments: Moments, invariants: list[tuple[Tensor, float]], starts: int, seed: int) -> Tensor:
    """Orthogonal maps that keep the moments well, the best first; the identity is not among them.

    invariants: symmetric matrices that every symmetry commutes with, and how far noise moves their eigenvalues.

    Shapes: moments by degree (classes, r, ..., r) -> (found, r, r)
    """
    generator = torch.Generator().manual_seed(seed)
    r = next(iter(moments.values())).shape[1]
    quick = {degree: each.float() for degree, each in moments.items()}
    found = [torch.eye(r)[None]]
    for matrix, noise in invariants:
        basis = torch.linalg.eigh(matrix).eigenvectors
        found.append(sign_starts(moments, basis, starts, generator).float())
        for width in (1.0, 4.0):
            some, mask = block_starts(matrix, width * noise, max(1, starts // 4), generator)
            turned = basis.float()
            within = {degree: _turn(turned.T, each) for degree, each in quick.items()}
            inner, _ = climb(some.float(), within, steps=25, inside=mask.float())
            found.append(turned @ inner @ turned.T)
    random = torch.linalg.qr(torch.randn(starts, r, r, generator=generator))[0]
    found.append(random)
    best = distinct(*climb(torch.cat(found), quick, steps=30), 3 * MOST)
    best = distinct(*climb(best, quick, steps=60), MOST)
    return best.double()


def polish(some: Tensor, moments: Moments, target: Moments | None = None) -> Tensor:
    """To convergence, in double precision.  (count, r, r) -> (count, r, r)"""
    return climb(some.double(), moments, target, steps=400, tolerance=1e-8)[0]


def distinct(some: Tensor, scores: Tensor, most: int, same: float = SAME) -> Tensor:
    """The best of every cluster of solutions, the best first.  (count, r, r), (count,) -> (left, r, r)"""
    some = some[scores.argsort(descending=True)]
    r = some.shape[-1]
    overlap = some.flatten(1) @ some.flatten(1).T / r  # distance^2 = 2 r (1 - overlap)
    near = overlap > 1 - same**2 / 2
    kept: list[int] = []
    for number in range(len(some)):
        if not near[number, kept].any():
            kept.append(number)
            if len(kept) == most:
                break
    return some[kept]


def products(some: Tensor) -> Tensor:
    """All products of two, and all inverses.  (count, r, r) -> (count^2 + count, r, r)"""
    return torch.cat([(some[:, None] @ some[None]).flatten(0, 1), some.mT])


def _turn(matrix: Tensor, tensor: Tensor) -> Tensor:
    from lgn.discovery.moments.tensors import rotate

    return rotate(matrix, tensor, tensor.ndim - 1)
