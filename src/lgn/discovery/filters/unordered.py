"""In which order stand the filters of a set? Solved for by what commutes with all sets."""

from itertools import permutations

import torch
from torch import Tensor

from lgn.discovery.filters.commutant import commutator_spectrum, cyclic_candidates

MAX_ORDER = 6  # every order of a set is tried: 720

# Note [Order within a set]
# If A^p = I, a complete orbit is mapped to itself: with S_k = sum_j b_j b_j^T over set k, A S_k A^T = S_k. In the
# coordinates in which sum_k S_k = I, A is therefore orthogonal and commutes with every S_k, whatever the order of the
# filters, and Note [From commutators to a generator] applies. It needs enough sets: S_k has rank p at most.


def arrange(vectors: Tensor, rounds: int = 20) -> Tensor:
    """The order of the filters within each set that one generator explains best.

    Candidates come from what commutes with all sets (Note [Order within a set]); the best is refined by turns of
    ordering and least squares. Sets keep their order where the candidates do no better.

    Shapes: (sets, order, channels, d) -> (sets, order)
    """
    sets, order, _, d = vectors.shape
    if order > MAX_ORDER:
        raise ValueError(f"order must be at most {MAX_ORDER} for method 'unordered', got {order}")
    columns = vectors.reshape(-1, d)
    u, s, _ = torch.linalg.svd(columns.T, full_matrices=False)
    kept = s > 1e-6 * s[0]
    white = vectors @ (u[:, kept] / s[kept])  # (sets, order, channels, rank)
    orbits = white.transpose(1, 2).flatten(0, 1)  # (sets * channels, order, rank)
    algebra = commutator_spectrum(orbits.mT @ orbits)[1][:order]
    starts = [_order_by(candidate, white) for candidate in cyclic_candidates(algebra)]
    best = [min(starts, key=lambda start: start[0])[1]] if starts else []
    given = torch.arange(order).expand(sets, order)
    return min((_refine(white, start, rounds) for start in [given, *best]), key=lambda found: found[0])[1]


def _refine(white: Tensor, arrangement: Tensor, rounds: int) -> tuple[float, Tensor]:
    """Turns of least squares and ordering until the order stays.  -> what is left unexplained, (sets, order)"""
    rows = torch.arange(len(white))[:, None]
    for _ in range(rounds):
        arranged = white[rows, arrangement]
        before, after = (part.flatten(0, 2).T for part in (arranged[:, :-1], arranged[:, 1:]))
        matrix = after @ torch.linalg.pinv(before)
        left = float((after - matrix @ before).norm())
        following = _order_by(matrix, white)[1]
        if torch.equal(following, arrangement):
            break
        arrangement = following
    return left, arrangement


def _order_by(matrix: Tensor, white: Tensor) -> tuple[float, Tensor]:
    """The order in which `A b_j = b_(j+1)` holds best, of all p! for every set at once.  -> error, (sets, order)"""
    order = white.shape[1]
    moved = white @ matrix.T
    costs = (moved[:, :, None] - white[:, None]).square().sum((-2, -1))  # (sets, from, to)
    orders = torch.tensor(list(permutations(range(order))))
    best = costs[:, orders[:, :-1], orders[:, 1:]].sum(-1).min(1)  # over p!
    return float(best.values.sum()), orders[best.indices]
