"""The verdicts on images with planted symmetries: on many images, few images, slight breaks, and turns by eighths."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from lgn.discovery.images import Symmetries, symmetries
from studies.runner import Cell
from studies.symmetry.sets import CASES, LATER, ImageCase, images_of, mixed

COUNT, QUICK_COUNT, SEEDS = 10_000, 6000, 5
QUICK = ("mnist, upright", "mnist, quarter turns", "mnist, flips", "mnist, quarter turns and flips")
FEW = (500, 2000)
FEW_IMAGES = ("mnist, upright", "mnist, quarter turns", "mnist, quarter turns and flips", "mnist, uniform angles")
SQUARE = ("turns", "flips")
#: Symmetric images, images that break the symmetry, and the share of these. The best observer of the breaking images
#: alone has an accuracy of 0.845 (turned digits) and 0.96 (upright ones), so that of a mixture is at least 0.55.
MIXTURES = (
    ("mnist, quarter turns and flips", "mnist, quarter turns", 0.2),
    ("mnist, flips", "mnist, upright", 0.12),
)
BY_EIGHTHS = (
    "mnist, uniform angles",
    "mnist, quarter turns",
    "mnist, upright",
    "mnist, angles within 45 degrees",
    "cifar10, uniform angles",
    "cifar10, upright",
)


def planted(quick: bool) -> Iterator[Cell]:
    """All image sets; a quick run has four of the bundled digits."""
    if quick:
        for name in QUICK:
            yield _cell(replace(CASES[name], source="digits", candidates=SQUARE), QUICK_COUNT, 0)
        return
    yield from _over_seeds(CASES.values(), SEEDS)


def later(quick: bool) -> Iterator[Cell]:
    """Image sets that were added after all rules had been fixed."""
    yield from _over_seeds(LATER, 0 if quick else SEEDS)


def slight(quick: bool) -> Iterator[Cell]:
    """Images of which a share breaks the symmetry."""
    cases = [
        replace(
            CASES[breaking],
            name=f"{CASES[symmetric].name} but for {share:.0%}",
            make=mixed(CASES[symmetric].make, CASES[breaking].make, share),
            candidates=SQUARE,
        )
        for symmetric, breaking, share in MIXTURES
    ]
    yield from _over_seeds(cases, 0 if quick else 3)


def angles(quick: bool) -> Iterator[Cell]:
    """Turns by eighths, which are resampled."""
    cases = [replace(CASES[name], candidates=("angles",)) for name in BY_EIGHTHS]
    yield from _over_seeds(cases, 0 if quick else 3)


def few(quick: bool) -> Iterator[Cell]:
    """Turns and flips of 500 and of 2,000 digits."""
    source = "digits" if quick else "mnist"
    for seed in range(1 if quick else SEEDS):
        for count in FEW[: 1 if quick else None]:
            for name in FEW_IMAGES:
                case = replace(CASES[name], source=source, candidates=SQUARE)
                key = {"images": f"{source}, {case.name}", "count": count, "seed": seed}
                yield Cell(key, partial(measure, case, count, seed))


def _over_seeds(cases: Any, seeds: int) -> Iterator[Cell]:
    """All cases with one seed, then with the next."""
    for seed in range(seeds):
        for case in cases:
            yield _cell(case, COUNT, seed)


def _cell(case: ImageCase, count: int, seed: int) -> Cell:
    return Cell({"images": f"{case.source}, {case.name}", "seed": seed}, partial(measure, case, count, seed))


def measure(case: ImageCase, count: int, seed: int) -> dict[str, Any]:
    """The verdict on each candidate, next to the truth."""
    images, _ = images_of(case, count, seed)
    return verdicts(symmetries(images, candidates=case.candidates, seed=seed), case.truth)


def verdicts(found: Symmetries, truth: Callable[[str], str | None]) -> dict[str, Any]:
    """The verdict on each candidate, next to the truth, and the controls."""
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
    return {"rows": rows, "controls": controls, "group": found.group.name, "count": found.count}
