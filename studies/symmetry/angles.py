"""Turns by eighths, which need values between pixels: does resampling give itself away?"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from studies.cells import Cell
from studies.symmetry.images import COUNT, measure
from studies.symmetry.sets import CASES

SEEDS = 3
NAMES = (
    "mnist, uniform angles",
    "mnist, quarter turns",
    "mnist, upright",
    "mnist, angles within 45 degrees",
    "cifar10, uniform angles",
    "cifar10, upright",
)


def cells(quick: bool, data_dir: Path | None) -> Iterator[Cell]:
    """Not in a quick run."""
    for seed in range(0 if quick else SEEDS):
        for name in NAMES:
            case = replace(CASES[name], candidates=("angles",))
            yield Cell({"images": name, "seed": seed}, partial(measure, case, COUNT, seed, data_dir))
