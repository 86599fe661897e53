"""Groups that were planted: of pixels, of rings, of channels, and matrices without a name."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from lgn.benchmarks.cells import Cell
from lgn.benchmarks.unknown import cases
from lgn.benchmarks.unknown.score import measure

COUNTS = (1_000, 3_000, 10_000, 60_000)
PIXELS = ("flip", "half turn", "quarter turns", "D4")
RINGS = ("uniform angles", "shifts of rings", "any shift of rings")
NAMELESS = ("order 2", "order 3", "order 4", "order 5", "order 6", "D4", "one-parameter")


def cells(quick: bool, data_dir: Path | None) -> Iterator[Cell]:
    """Groups x numbers of samples x seeds."""
    source, seeds = ("digits", 1) if quick else ("mnist", 5)
    for seed in range(seeds):  # a whole round of all groups before the next
        for count in (5_000,) if quick else COUNTS[::-1]:
            for task in (*PIXELS[: 2 if quick else 4], *RINGS):
                key = {"task": task, "data": source, "samples": count, "seed": seed}
                yield Cell(key, partial(pixels, source, data_dir, task, count, seed))
            if not quick:
                key = {"task": "channels", "data": "cifar10", "samples": min(count, 50_000), "seed": seed}
                yield Cell(key, partial(channels, data_dir, count, seed))
        for rank in (6,) if quick else (12, 20):
            for task in NAMELESS[:3] if quick else NAMELESS:
                count = 5_000 if quick else 60_000
                key = {"task": f"nameless {task}", "rank": rank, "data": source, "samples": count, "seed": seed}
                yield Cell(key, partial(nameless, source, data_dir, task, rank, count, seed))
        for count in () if quick else COUNTS[:3]:
            for task in ("order 2", "order 4"):
                key = {"task": f"nameless {task}", "rank": 12, "data": source, "samples": count, "seed": seed}
                yield Cell(key, partial(nameless, source, data_dir, task, 12, count, seed))


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
