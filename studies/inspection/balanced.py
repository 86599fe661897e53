"""Banks that are balanced, broken, or no more than smooth: is that what is said of them?"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import torch

from lgn.discovery.networks import inspect_bank
from studies.cells import Cell
from studies.inspection import filters
from studies.inspection.later import untrained_network
from studies.inspection.unrelated import Maker

#: What each kind of bank should be called, under every turn, flip and transposition (those of tilted ones but a half
#: turn, which takes an angle to itself).
KINDS: dict[str, tuple[Maker, str]] = {
    "Gabors of any angle": (filters.gabors, "balanced"),
    "cardinal Gabors": (filters.cardinal_gabors, "balanced"),
    "Gabors of 0 to 60 degrees": (filters.tilted_gabors, "broken"),
    "smoothed noise": (filters.smoothed_noise, "neither"),
    "untrained networks": (untrained_network, "neither"),
}
BANKS = 20
AT_LEAST = 0.9


def cells(quick: bool, data_dir: Path | None) -> Iterator[Cell]:
    """One cell a bank."""
    del data_dir
    for kind, (make, expected) in KINDS.items():
        for seed in range(1 if quick else BANKS):
            key = {"kind": kind, "should be": expected, "seed": seed}
            yield Cell(key, partial(measure, make, expected, seed))


def measure(make: Maker, expected: str, seed: int) -> dict[str, Any]:
    """The share of transformations that are called what they are."""
    found = inspect_bank(make(torch.Generator().manual_seed(30_000 + seed), 64, 3, 7), seed=seed)
    said = [row.balance for row in found.rows if row.kind == "place" and row.name not in _HALF.get(expected, ())]
    right = sum(each == expected for each in said) / len(said)
    opposite = {"balanced": "broken", "broken": "balanced"}.get(expected)
    wrong = sum(each == opposite or (opposite is None and each != "neither") for each in said) / len(said)
    return {"rate": right, "at_least": AT_LEAST, "count": 1, "opposite": wrong}


_HALF = {"broken": ("turn 180", "transposition", "antitransposition")}
