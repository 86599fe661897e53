"""The gap: a copy lies next to the image of a filter, and all other filters are far away."""

from typing import NamedTuple

import torch
from torch import Tensor

#: The smallest cosine of two filters that count as one neighbour of a third filter.
SAME = 0.85
#: The number of gaps of a filter: the first, which copies make large, and the next ones.
GAPS = 3
#: The largest gap in nats: an exact copy counts as much as a copy at a quarter of the distance of the next filter.
LARGEST = 1.5
#: A larger distance than any of unit vectors.
FAR = 9.0

# Note [The gap]
# Filters that repel each other deceive the twist: a twist puts T f_i next to some f_j, which the bank avoids, and then
# the bank has more near-copies than its twists. So the second test does not compare banks. T f_i has distances
# d_1 < d_2 < ... to the other filters. If T f_i is not related to them, the gaps `e_k = k log(d_(k+1) / d_k)` have one
# distribution for any density and dimension (Renyi), and shuffling the gaps of every i gives the null distribution. A
# copy makes the first gap large.
# For evenly spread filters, the first gap is slightly larger than the next ones. So the mean of the first gaps minus
# the mean of the next ones must also be large. It is about 1 nat for copies, and at most 0.2 for unrelated filters
# (`results/inspection.json`).
# If T f_i is nearer to f_i than to any other filter, f_i itself is symmetric, and is not counted. Near-copies of a
# neighbour count as one with it. A pair of filters that are nearest to each other is counted once.


class Neighbours(NamedTuple):
    """The gaps of every T f_i, whether another filter is nearer to it than f_i, and the nearest filter."""

    gaps: Tensor  # (filters, GAPS)
    is_counted: Tensor  # (filters,)
    nearest: Tensor  # (filters,)


def gap_test(
    cosines: Tensor, plain: Tensor, is_involution: bool, draws: int, generator: torch.Generator
) -> tuple[float, float]:
    """The p-value of the first gaps, and their mean minus that of the next gaps in nats; see Note [The gap].

    Shapes: cosines of T f_i with f_j, and plain cosines of f_i with f_j, (filters, filters)
    """
    forward = neighbours(cosines, plain)
    numbers, counted, nearest = torch.arange(len(cosines)), forward.is_counted, forward.nearest
    if is_involution:
        gaps = forward.gaps[counted & ~((nearest[nearest] == numbers) & (numbers > nearest))]
    else:  # T and its inverse: if f_j is next to T f_i, f_i is next to T^-1 f_j
        backward = neighbours(cosines.T, plain)
        is_repeated = counted[backward.nearest] & (nearest[backward.nearest] == numbers)
        gaps = torch.cat([forward.gaps[counted], backward.gaps[backward.is_counted & ~is_repeated]])
    if len(gaps) < 2:
        return 1.0, 0.0
    first, others = gaps[:, 0].mean(), gaps[:, 1:].mean()
    drawn = torch.randint(0, gaps.shape[1], (draws, len(gaps)), generator=generator)
    shuffled = gaps[torch.arange(len(gaps)), drawn].mean(1)
    reached = int((shuffled >= first - 1e-12).sum())
    return (1 + reached) / (1 + draws), float(first - others)


def neighbours(cosines: Tensor, plain: Tensor) -> Neighbours:
    """The nearest filters of every T f_i; see `gap_test` for the shapes."""
    filters = len(cosines)
    distances = (2 - 2 * cosines).clamp_min(1e-12).sqrt()
    own = distances.diagonal().clone()
    distances = distances.clone().fill_diagonal_(FAR)
    sorted_distances, nearest = [], distances.argmin(1)
    for _ in range(GAPS + 1):
        distance, neighbour = distances.min(1)
        sorted_distances.append(distance)
        distances = distances.masked_fill(plain[neighbour] > SAME, FAR)
        distances[torch.arange(filters), neighbour] = FAR
    near = torch.stack(sorted_distances, 1)
    gaps = (near[:, 1:] / near[:, :-1]).log() * torch.arange(1, GAPS + 1)
    return Neighbours(gaps.clamp(max=LARGEST), (near[:, -1] < FAR) & (near[:, 0] < own), nearest)
