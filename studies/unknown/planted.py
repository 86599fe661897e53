"""Groups that were planted: of pixels, of rings, of channels, and matrices without a name."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from studies.cells import Cell
from studies.unknown import cases
from studies.unknown.score import measure

COUNTS = (1_000, 3_000, 10_000, 60_000)
SEEDS = range(400, 405)  # not looked at before the rules of `discover_from_data` were fixed
FEW = 2  # seeds with less than 60,000 samples
PIXELS = ("flip", "half turn", "quarter turns", "D4")
RINGS = ("uniform angles", "shifts of rings", "any shift of rings")
NAMELESS = ("order 2", "order 3", "order 4", "order 5", "order 6", "D4", "one-parameter")


def cells(quick: bool, data_dir: Path | None) -> Iterator[Cell]:
    """Groups x numbers of samples x seeds: a whole round of all groups before the next seed."""
    if quick:
        yield from _round("digits", data_dir, 5_000, SEEDS[0], (*PIXELS[:2], *RINGS), NAMELESS[:3], (6,))
        return
    for seed in SEEDS:
        yield from _round("mnist", data_dir, COUNTS[-1], seed, (*PIXELS, *RINGS), NAMELESS, (12, 20))
        for count in COUNTS[:-1] if seed < SEEDS[FEW] else ():
            yield from _round("mnist", data_dir, count, seed, (*PIXELS, *RINGS), ("order 2", "order 4"), (12,))


def _round(
    source: str,
    data_dir: Path | None,
    count: int,
    seed: int,
    tasks: tuple[str, ...],
    matrices: tuple[str, ...],
    ranks: tuple[int, ...],
) -> Iterator[Cell]:
    for task in tasks:
        key = {"task": task, "data": source, "samples": count, "seed": seed}
        yield Cell(key, partial(pixels, source, data_dir, task, count, seed))
    if source != "digits":
        key = {"task": "channels", "data": "cifar10", "samples": min(count, 50_000), "seed": seed}
        yield Cell(key, partial(channels, data_dir, count, seed))
    for rank in ranks:
        for task in matrices:
            key = {"task": f"nameless {task}", "rank": rank, "data": source, "samples": count, "seed": seed}
            yield Cell(key, partial(nameless, source, data_dir, task, rank, count, seed))


def pixels(source: str, data_dir: Path | None, task: str, count: int, seed: int) -> dict[str, Any]:
    """A group of pixels, or shifts of rings, on digits."""
    images = cases.some(cases.images_of(source, data_dir), count, seed)
    if task == "uniform angles":
        return measure(cases.uniform_angles(images, seed), seed=seed)
    if task == "shifts of rings":
        return measure(cases.rings(images, seed), seed=seed)
    if task == "any shift of rings":
        return measure(cases.continuous_rings(images, seed), seed=seed)
    return measure(cases.turned(images, task, seed), seed=seed)


def channels(data_dir: Path | None, count: int, seed: int) -> dict[str, Any]:
    """The colours of CIFAR-10 in any order."""
    return measure(cases.channels(cases.some(cases.images_of("cifar10", data_dir, True), count, seed), seed), seed=seed)


def nameless(source: str, data_dir: Path | None, task: str, rank: int, count: int, seed: int) -> dict[str, Any]:
    """A random matrix, or a group of them."""
    images = cases.some(cases.images_of(source, data_dir), count, seed)
    return measure(cases.nameless(images, task, rank, seed), seed=seed, rank=rank)
