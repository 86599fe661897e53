"""Networks that were never trained, and the simulated search over starts: nothing may be found, or what was planted."""

import warnings
from collections.abc import Iterator
from functools import partial
from itertools import cycle, islice, product
from typing import Any

import torch
from torch import Tensor, nn

import lgn
from lgn.discovery.filters.start_search import FALSE_CLAIM_RATE, LEVEL, RETRAININGS
from lgn.generators import FAMILIES
from lgn.stats import compare_runs
from studies.runner import Cell, cell, grid
from studies.truth.matrices import has_finding

STARTS = ("orthogonal", "gaussian", "identity")
KINDS = ("converted", "unfolded", "mixed")
LIMIT = 0.05


def model_cells(quick: bool) -> Iterator[Cell]:
    """Families, starts and kinds of network in turn, with other seeds each time."""
    families = [name for name in FAMILIES if name != "fixed"]  # a given matrix is no start
    turns = product(families, STARTS, KINDS)
    for seed, (family, start, network) in enumerate(islice(cycle(turns), 9 if quick else 200)):
        chosen = families[seed % len(families)] if quick else family
        key = {"family": chosen, "start": start, "network": network, "seed": seed}
        yield cell(measure_model, input="untrained networks", **key)


def measure_model(input: str, family: str, start: str, network: str, seed: int) -> dict[str, Any]:
    with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on what few filters determine, and where a start rounds to
        torch.manual_seed(seed)
        analysis = lgn.analyze(untrained(family, start, network), draws=200, seed=seed)
    found = any(has_finding(generator, analysis.false_discovery_rate) for generator in analysis.generators)
    return {"rate": float(found), "limit": LIMIT, "count": 1}


def untrained(family: str, start: Any, kind: str) -> nn.Module:
    """A convolutional network converted to orbits, an unfolded one, or layers of two orders and two sizes."""
    if kind == "converted":
        plain = nn.Sequential(nn.Conv2d(3, 8, 5), nn.ReLU(), nn.Conv2d(8, 8, 3), nn.ReLU(), nn.Conv2d(8, 8, 3))
        return lgn.convert(plain, group=4, generator=family, start=start)
    if kind == "unfolded":
        return lgn.nn.UnfoldedEncoder(1, num_layers=2, num_sets=4, kernel_size=4, generator=family, start=start)
    return nn.Sequential(
        lgn.nn.GroupConv2d(2, 3, 4, group=4, generator=family, start=start, bias=True),
        lgn.nn.GroupConv2d(12, 2, 3, group=2, generator="dense", start="gaussian", bias=True),
    )


IMAGES, REPETITIONS, TOGETHER = 2000, 2000, 100
SPREADS = (0.0, 0.3, 0.6, 0.9)  # of the true accuracies of runs that differ in their seed alone, in points
COMMON, KIND = 0.4, 0.2  # of what decides about an image: shared by all networks, and by those of one start

# Note [Simulated runs]
# A run is right on image i where a normal number stays below the threshold of its accuracy. The number is a sum: how
# hard the image is for all networks, for networks of this start (all runs of free filters are one start), and for this
# run. With the shares above and an accuracy of 88 %, two networks disagree on 16 % of the images, as the trained ones
# of docs/recovery.md do. The true accuracy of each run is that of its start, moved by luck: that is the spread.


def search_cells(_: bool) -> Iterator[Cell]:
    settings = {"points": 0.0, "count": REPETITIONS}
    yield from grid(measure_search, settings, kind=["search null"], accuracy=[0.88], starts=(8, 16), spread=SPREADS)
    yield cell(measure_search, settings, kind="search null", accuracy=0.97, starts=8, spread=0.9)
    settings |= {"points": 4.0}
    yield from grid(measure_search, settings, kind=["search power"], accuracy=[0.88], starts=[8], spread=SPREADS)


def measure_search(kind: str, accuracy: float, starts: int, spread: float, points: float, count: int) -> dict[str, Any]:
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
