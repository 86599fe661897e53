"""The search over starts: how often is a symmetry claimed where there is none, and how often one that is there?"""

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import torch
from torch import Tensor

from lgn.discovery.filters.start_search import FALSE_CLAIM_RATE, LEVEL, RETRAININGS
from lgn.stats import compare_runs
from studies.runner import Cell

IMAGES, REPETITIONS, TOGETHER = 2000, 2000, 100
SPREADS = (0.0, 0.3, 0.6, 0.9)  # of the true accuracies of runs that differ in their seed alone, in points
COMMON, KIND = 0.4, 0.2  # of what decides about an image: shared by all networks, and by those of one start

# Note [Simulated runs]
# A run is right on image i where a normal number stays below the threshold of its accuracy. The number is a sum: how
# hard the image is for all networks, for networks of this start (all runs of free filters are one start), and for this
# run. With the shares above and an accuracy of 88 %, two networks disagree on 16 % of the images, as the trained ones
# of docs/recovery.md do. The true accuracy of each run is that of its start, moved by luck: that is the spread.


def cells(quick: bool) -> Iterator[Cell]:
    """No start is any better than free filters; and all of them are better by four points.

    No data is needed, and all repetitions take seconds: fewer could not tell 1 in 100 from 2.
    """
    del quick
    for accuracy, starts, spread in [*product((0.88,), (8, 16), SPREADS), (0.97, 8, 0.9)]:
        key = {"kind": "search null", "accuracy": accuracy, "starts": starts, "spread": spread}
        yield Cell(key, partial(measure, accuracy, starts, spread, 0.0, REPETITIONS))
    for spread in SPREADS:
        key = {"kind": "search power", "accuracy": 0.88, "starts": 8, "spread": spread}
        yield Cell(key, partial(measure, 0.88, 8, spread, 4.0, REPETITIONS))


def measure(accuracy: float, starts: int, spread: float, points: float, count: int) -> dict[str, Any]:
    """The share of searches that claim a symmetry; and *before*, by two standard errors on the images that chose."""
    random = torch.Generator().manual_seed(0)
    parts = [_searches(accuracy, starts, spread, points, TOGETHER, random) for _ in range(count // TOGETHER)]
    rate, before = torch.cat(parts, 1).double().mean(1).tolist()
    bound = {"at_least": 0.9} if points else {"limit": FALSE_CLAIM_RATE}
    return {"rate": rate, **bound, "count": count, "before": before}


def _searches(
    accuracy: float, starts: int, spread: float, points: float, count: int, random: torch.Generator
) -> Tensor:
    """Whether each search claims a symmetry, and whether it would have before. Note [Simulated runs].  -> (2, count)"""
    normal = partial(torch.randn, generator=random)
    hard = COMMON**0.5 * normal(count, 1, IMAGES) + KIND**0.5 * normal(count, starts + 1, IMAGES)

    def right(kinds: Tensor, better: float) -> Tensor:
        """Runs, one for each of the kinds given.  (count, runs, images) -> bool, the same"""
        luck = spread / 100 * normal(*kinds.shape[:2], 1)
        threshold = torch.special.ndtri((accuracy + better / 100 + luck).clamp(0.001, 0.999))
        return kinds + (1 - COMMON - KIND) ** 0.5 * normal(*kinds.shape) < threshold

    rows, half = torch.arange(count), IMAGES // 2
    ours, free = hard[:, :starts], hard[:, starts:]
    tried = right(ours, points)
    best = tried[:, :, :half].double().mean(2).argmax(1)
    again = right(ours[rows, best, half:].unsqueeze(1).expand(-1, RETRAININGS, -1), points)
    control = right(free[:, :, half:].expand(-1, RETRAININGS, -1), 0.0)
    claimed = compare_runs(again, control).p_value <= LEVEL
    best = tried.double().mean(2).argmax(1)
    difference = tried[rows, best].double() - right(free, 0.0)[:, 0].double()
    before = difference.mean(1) > 2 * difference.std(1) / IMAGES**0.5
    return torch.stack([claimed, before])
