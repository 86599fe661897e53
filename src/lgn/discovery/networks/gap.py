"""The gap: the image of a filter lies next to one filter, and all other filters are far away."""

from typing import NamedTuple

import torch
from torch import Tensor

#: From this cosine two filters count as one for a third filter that is near both.
COPY = 0.85
#: The number of gaps that are compared: the first, which copies make large, and the next ones.
RUNGS = 3
#: The largest gap in nats: an exact copy counts no more than a copy at a quarter of the distance of the next filter.
LARGEST = 1.5
#: A distance beyond all distances of unit vectors.
FAR = 9.0

# Note [The gap]
# Filters that repel each other deceive the twist: it creates relations between T f_i and f_j that the bank avoids, and
# then the bank itself has more near-copies than its twists have. The second test therefore does not compare banks. T
# f_i has distances d_1 < d_2 < ... to the other filters. If it lies anywhere among them, the gaps `e_k = k log(d_(k+1)
# / d_k)` have one distribution for any density and dimension (Renyi), and shuffling the gaps of each i gives the null
# distribution. A copy makes the first gap large.
# For evenly spread filters the first gap is somewhat larger than the next ones, because the next filters are equally
# far. Copies must therefore also have a large gap: the mean of the first gaps minus the mean of the next ones. Copies
# have about 1 nat, and unrelated filters have at most 0.2 (`results/inspection.json`).
# If T f_i is nearer to f_i than to any other filter, f_i is symmetric itself, and no gap is counted. Near-copies of a
# neighbour count as one with it. A pair of filters that are nearest to each other is counted once.


class Neighbours(NamedTuple):
    """The gaps of every T f_i, whether another filter is nearer than f_i itself, and the nearest filter."""

    gaps: Tensor  # (filters, rungs)
    is_counted: Tensor  # (filters,)
    nearest: Tensor  # (filters,)


def gap_test(
    cosines: Tensor, plain: Tensor, involution: bool, draws: int, generator: torch.Generator
) -> tuple[float, float]:
    """The p-value of the first gaps, and how much they exceed the next gaps in nats; see Note [The gap].

    Shapes: cosines of T f_i with f_j, and of f_i with f_j, (filters, filters), >= 0 if signs do not matter
    """
    there = neighbours(cosines, plain)
    here, counted = torch.arange(len(cosines)), there.is_counted
    if involution:
        gaps = there.gaps[counted & ~((there.nearest[there.nearest] == here) & (here > there.nearest))]
    else:  # T and its inverse: if f_j is next to T f_i, f_i is next to T^-1 f_j
        back = neighbours(cosines.T, plain)
        again = counted[back.nearest] & (there.nearest[back.nearest] == here)
        gaps = torch.cat([there.gaps[counted], back.gaps[back.is_counted & ~again]])
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
    ladder, nearest = [], distances.argmin(1)
    for _ in range(RUNGS + 1):
        distance, place = distances.min(1)
        ladder.append(distance)
        distances = distances.masked_fill(plain[place] > COPY, FAR)
        distances[torch.arange(filters), place] = FAR
    rungs = torch.stack(ladder, 1)
    gaps = (rungs[:, 1:] / rungs[:, :-1]).log() * torch.arange(1, RUNGS + 1)
    return Neighbours(gaps.clamp(max=LARGEST), (rungs[:, -1] < FAR) & (rungs[:, 0] < own), nearest)
