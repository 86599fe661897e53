"""Images alone: are planted symmetries kept, and others broken?"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from lgn.discovery.images import Symmetries, symmetries
from studies.cells import Cell
from studies.symmetry.sets import CASES, ImageCase, images_of

COUNT, SEEDS = 10_000, 5
QUICK_COUNT, QUICK = 6000, ("mnist, upright", "mnist, quarter turns", "mnist, flips", "mnist, quarter turns and flips")


def cells(quick: bool, data_dir: Path | None) -> Iterator[Cell]:
    """All image sets with one seed, then with the next; quick, four of the embedded digits."""
    if quick:
        for name in QUICK:
            case = replace(CASES[name], source="digits", candidates=("turns", "flips"))
            yield Cell({"images": f"digits, {case.name}", "seed": 0}, partial(measure, case, QUICK_COUNT, 0, data_dir))
        return
    for seed in range(SEEDS):
        for name, case in CASES.items():
            yield Cell({"images": name, "seed": seed}, partial(measure, case, COUNT, seed, data_dir))


def measure(case: ImageCase, count: int, seed: int, data_dir: Path | None) -> dict[str, Any]:
    """The verdict on each candidate, beside what is true of it."""
    images, _ = images_of(case, count, seed, data_dir)
    return verdicts(symmetries(images, candidates=case.candidates, seed=seed), case.truth)


def verdicts(found: Symmetries, truth: Callable[[str], str | None]) -> dict[str, Any]:
    """What was said of each candidate, beside what is true of it, and the controls."""
    rows = [
        {
            "name": row.name,
            "family": row.family,
            "verdict": row.images,
            "truth": truth(row.name),
            "told_apart": round(row.told_apart, 4),
            "interval": [round(end, 4) for end in row.interval],
        }
        for row in found.rows
    ]
    controls = {each.name: round(each.control, 4) for each in found.families if each.control is not None}
    twins = {each.name: round(each.twin, 4) for each in found.families if each.twin is not None}
    return {"rows": rows, "controls": controls, "twins": twins, "group": found.group.name, "count": found.count}
