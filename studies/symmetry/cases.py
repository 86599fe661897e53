"""The verdicts on images with planted symmetries: on many images, few images, slight breaks, and turns by eighths."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch
from torch import Tensor

import lgn.data
from lgn.answer import Answer, ToldApart
from lgn.discovery.images import discover_images
from studies.images import labelled_images
from studies.runner import Cell
from studies.symmetry import sets
from studies.symmetry.sets import PARTIAL, Make, mixed, random_elements, turned

TURNS = ("turn 90", "turn 180", "turn 270")
FLIPS = ("flip columns", "flip rows", "transposition", "antitransposition")
EIGHTHS = tuple(f"turn {degrees}" for degrees in range(45, 360, 45))
SQUARE = ("turns", "flips")
COUNT, QUICK_COUNT, SEEDS = 10_000, 6000, 5


@dataclass(frozen=True)
class ImageCase:
    """An image set with its candidates, of which `kept` are symmetries; nobody knows of those in `open`."""

    name: str
    source: str
    make: Make
    candidates: tuple[str, ...] = SQUARE
    kept: tuple[str, ...] = ()
    open: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return f"{self.source}, {self.name}"

    def truth(self, candidate: str) -> str | None:
        return None if candidate in self.open else "kept" if candidate in self.kept else "broken"


def _cases(source: str) -> list[ImageCase]:
    # Nobody knows whether CIFAR-10 keeps its left-right flip; after quarter turns that is a question of all flips.
    flip, flips, colour = ((), (), ()) if source == "mnist" else (FLIPS[:1], FLIPS, ("colour",))
    negative = (*SQUARE, "negative")
    return [
        ImageCase("upright", source, sets.upright, (*negative, *colour), open=flip),
        ImageCase("quarter turns", source, random_elements(*range(4)), kept=TURNS, open=flips),
        ImageCase("flips", source, random_elements(0, 4), kept=FLIPS[:1]),
        ImageCase("quarter turns and flips", source, random_elements(*range(8)), kept=(*TURNS, *FLIPS)),
        ImageCase("uniform angles", source, turned(180), kept=(*TURNS, *EIGHTHS), open=flips),
        ImageCase("angles within 45 degrees", source, turned(PARTIAL), open=flip),
        ImageCase("shifts", source, sets.shifted, open=flip),
        ImageCase("negatives", source, sets.negatives, negative, ("negative",), flip),
    ]


COLOURS = tuple(map.name for map in sets.COLOURS[1:])
CASES = {
    case.title: case
    for case in [
        *_cases("mnist"),
        *_cases("cifar10"),
        ImageCase("channel permutations", "cifar10", sets.channels, (*SQUARE, "colour"), COLOURS, FLIPS[:1]),
        ImageCase("half turns", "mnist", random_elements(0, 2), kept=("turn 180",)),
        ImageCase("one hand", "spirals", sets.spirals, kept=TURNS),
        ImageCase("transpositions", "mnist", random_elements(0, 5), kept=("transposition",)),
        ImageCase("slanting", "waves", sets.waves, kept=("turn 180",)),
    ]
}
#: Image sets that were added after all rules had been fixed.
LATER = (
    ImageCase(
        "rectangles' group", "cifar10", random_elements(0, 2, 4, 6), kept=("turn 180", "flip columns", "flip rows")
    ),
    ImageCase("upwards", "branches", sets.branches, kept=("flip columns",)),
)
QUICK = ("mnist, upright", "mnist, quarter turns", "mnist, flips", "mnist, quarter turns and flips")
FEW_IMAGES = ("mnist, upright", "mnist, quarter turns", "mnist, quarter turns and flips", "mnist, uniform angles")
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


def images_of(case: ImageCase, count: int, seed: int) -> tuple[Tensor, Tensor]:
    drawn = case.source not in lgn.data.NAMED_SETS  # the digits only say how many
    images, labels = labelled_images("mnist" if drawn else case.source)
    generator = lgn.data.generator_for(f"symmetry benchmark {case.source} {case.name}", seed)
    chosen = torch.randperm(len(images), generator=generator)[:count]
    return case.make(images[chosen], generator), labels[chosen]


def planted(quick: bool) -> Iterator[Cell]:
    if quick:
        cases = [replace(CASES[name], source="digits", candidates=SQUARE) for name in QUICK]
        return _cells(cases, 1, QUICK_COUNT)
    return _cells(CASES.values(), SEEDS)


def later(quick: bool) -> Iterator[Cell]:
    return _cells(LATER, 0 if quick else SEEDS)


def slight(quick: bool) -> Iterator[Cell]:
    cases = [
        replace(
            CASES[breaking],
            name=f"{CASES[symmetric].name} but for {share:.0%}",
            make=mixed(CASES[symmetric].make, CASES[breaking].make, share),
            candidates=SQUARE,
        )
        for symmetric, breaking, share in MIXTURES
    ]
    return _cells(cases, 0 if quick else 3)


def angles(quick: bool) -> Iterator[Cell]:
    """Turns by eighths, which are resampled."""
    return _cells([replace(CASES[name], candidates=("angles",)) for name in BY_EIGHTHS], 0 if quick else 3)


def few(quick: bool) -> Iterator[Cell]:
    cases = [replace(CASES[name], source="digits" if quick else "mnist", candidates=SQUARE) for name in FEW_IMAGES]
    for count in (500,) if quick else (500, 2000):
        yield from _cells(cases, 1 if quick else SEEDS, count, count=count)


def _cells(cases: Iterable[ImageCase], seeds: int, images: int = COUNT, **key: int) -> Iterator[Cell]:
    for seed in range(seeds):
        for case in cases:
            yield Cell({"images": case.title, "seed": seed, **key}, partial(measure, case, images, seed))


def measure(case: ImageCase, count: int, seed: int) -> dict[str, Any]:
    images, _ = images_of(case, count, seed)
    return verdicts(discover_images(images, kind="images", candidates=case.candidates, seed=seed), case.truth)


def verdicts(found: Answer, truth: Callable[[str], str | None]) -> dict[str, Any]:
    rows, controls = [], {}
    for row in found.rows:
        about, family = row.evidence[0], row.transformation.family
        assert about.interval is not None
        rows.append(
            {
                "name": row.name,
                "family": family,
                "verdict": about.verdict,
                "truth": truth(row.name),
                "told_apart": about.value,
                "interval": list(about.interval),
            }
        )
        if isinstance(about.detail, ToldApart) and about.detail.control is not None:
            controls[family] = about.detail.control
    return {"rows": rows, "controls": controls, "count": found.data.count}
