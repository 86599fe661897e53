"""The gap: T f_i lands next to one filter, and all others are far."""

from typing import NamedTuple

import torch
from torch import Tensor

COPY = 0.85  # the cosine from which two filters of a bank are one to a third that is near both
RUNGS = 3  # gaps that are compared: the first, which twins make large, and those behind it
LARGEST = 1.5  # nats: an exact copy counts no more than one at less than a quarter of the distance of the next
FAR = 9.0  # beyond every distance of unit vectors

# Note [The gap]
# Filters that repel each other, as those of decorrelated and of spread-out banks do, fool the twist: it puts T f_i and
# f_j into relations that the bank avoids, and the bank as it is then seems to have more near-copies than chance gives.
# So a second question asks nothing about the rest of the bank. T f_i has distances d_1 < d_2 < ... to the others; where
# it lands anywhere among them, the gaps `e_k = k log(d_(k+1) / d_k)` are alike, whatever the density and the dimension
# (Renyi's spacings), and shuffling them within i gives the null. A twin makes the first gap large.
# Filters that are evenly spread have a first gap that is somewhat larger than the next ones, not because a filter is
# near, but because the next ones are equally far: the p-value is then small and the gap is not. So a size is asked for
# too: the mean first gap, less the mean of those behind it, in nats. A twin has about one; spread-out filters that have
# nothing to do with T have up to 0.2 (`results/inspection.json`).
# A landing that is closer to f_i itself is a self-symmetric filter and no twin. Near-copies of a neighbour are one with
# it: the orbit of a nearly symmetric filter has some. A pair that finds each other is counted once.


class Gap(NamedTuple):
    """How often chance gives such first gaps, how much larger they are than the others, and of how many landings."""

    p_value: float
    size: float
    landings: int


class Landings(NamedTuple):
    """Where each T f_i lands: its gaps, whether another filter is nearer than f_i itself, and which is nearest."""

    gaps: Tensor  # (filters, rungs)
    is_landing: Tensor  # (filters,)
    nearest: Tensor  # (filters,)

    @property
    def first_gap(self) -> Tensor:
        return self.gaps[:, 0]


def gap_test(cosines: Tensor, plain: Tensor, involution: bool, draws: int, generator: torch.Generator) -> Gap:
    """Whether T f_i lands next to one filter rather than among many; see Note [The gap].

    Shapes: cosines of T f_i with f_j, and of f_i with f_j, (filters, filters), >= 0 where signs do not matter.
    """
    there = landings(cosines, plain)
    here, landed = torch.arange(len(cosines)), there.is_landing
    if involution:
        gaps = there.gaps[landed & ~((there.nearest[there.nearest] == here) & (here > there.nearest))]
    else:  # T and its inverse: f_j next to T f_i is f_i next to T^-1 f_j
        back = landings(cosines.T, plain)
        again = landed[back.nearest] & (there.nearest[back.nearest] == here)
        gaps = torch.cat([there.gaps[landed], back.gaps[back.is_landing & ~again]])
    if len(gaps) < 2:
        return Gap(1.0, 0.0, len(gaps))
    first, others = gaps[:, 0].mean(), gaps[:, 1:].mean()
    drawn = torch.randint(0, gaps.shape[1], (draws, len(gaps)), generator=generator)
    shuffled = gaps[torch.arange(len(gaps)), drawn].mean(1)
    reached = int((shuffled >= first - 1e-12).sum())
    return Gap((1 + reached) / (1 + draws), float(first - others), len(gaps))


def landings(cosines: Tensor, plain: Tensor) -> Landings:
    """Where each T f_i lands; see `gap_test` for the shapes."""
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
    return Landings(gaps.clamp(max=LARGEST), (rungs[:, -1] < FAR) & (rungs[:, 0] < own), nearest)
