"""Partial symmetries: is the range that images are turned, or shifted, within found, and none where there is none?"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from lgn.discovery.images import symmetries
from studies.cells import Cell
from studies.symmetry.images import COUNT
from studies.symmetry.sets import CASES, PARTIAL, SHIFT, images_of

SEEDS = 3
#: Image sets, the candidates, and what was planted: so far either way, None where it is the whole line or nothing.
ASKED = (
    ("mnist, angles within 45 degrees", "tilts", PARTIAL),
    ("mnist, uniform angles", "tilts", None),
    ("mnist, upright", "tilts", None),
    ("mnist, shifts", "shifts", SHIFT + 0.5),  # whole pixels: nine places, each one wide
    ("mnist, upright", "shifts", None),
)


def cells(quick: bool, data_dir: Path | None) -> Iterator[Cell]:
    """Not in a quick run."""
    for seed in range(0 if quick else SEEDS):
        for name, candidates, planted in ASKED:
            key = {"images": name, "candidates": candidates, "seed": seed}
            yield Cell(key, partial(measure, name, candidates, planted, seed, data_dir))


def measure(name: str, candidates: str, planted: float | None, seed: int, data_dir: Path | None) -> dict[str, Any]:
    """What was found of each line, and how well its shortest and longest distances were told apart."""
    images, _ = images_of(CASES[name], COUNT, seed, data_dir)
    found = symmetries(images, candidates=(candidates,), seed=seed)
    lines = {}
    for facts in found.families:
        told = [round(row.told_apart, 4) for row in found.rows if row.family == facts.name]
        within = found.ranges.get(facts.name)
        lines[facts.name] = {"told_apart": told, "within": None if within is None else round(within, 2)}
    return {"lines": lines, "planted": planted}
