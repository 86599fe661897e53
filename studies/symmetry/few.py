"""Few images: is what cannot be decided left undecided?"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from studies.cells import Cell
from studies.symmetry.images import measure
from studies.symmetry.sets import CASES

COUNTS, SEEDS = (500, 2000), 5
NAMES = ("mnist, upright", "mnist, quarter turns", "mnist, quarter turns and flips", "mnist, uniform angles")


def cells(quick: bool, data_dir: Path | None) -> Iterator[Cell]:
    """Turns and flips of 500 and of 2,000 digits."""
    counts, seeds, source = ((500,), 1, "digits") if quick else (COUNTS, SEEDS, "mnist")
    for seed in range(seeds):
        for count in counts:
            for name in NAMES:
                case = replace(CASES[name], source=source, candidates=("turns", "flips"))
                key = {"images": f"{source}, {case.name}", "count": count, "seed": seed}
                yield Cell(key, partial(measure, case, count, seed, data_dir))
