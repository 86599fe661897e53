"""Banks whose filters have nothing to do with each other: how often is a twin group found all the same?"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from lgn.discovery.networks import inspect_bank
from studies.cells import Cell
from studies.inspection import filters, later

Maker = Callable[[torch.Generator, int, int, int], Tensor]
#: Filters, channels and pixels, in turn: half of the banks are as large as the first layer of a ResNet.
SHAPES = ((64, 3, 7), (64, 1, 9), (64, 3, 7), (48, 3, 5), (64, 3, 7), (96, 3, 7))
LIMIT = 0.1  # in any family; 0.05 over all
BANKS = 60

FAMILIES: dict[str, Maker] = {
    "Gabors": filters.gabors,
    "cardinal Gabors": filters.cardinal_gabors,
    "smoothed noise": filters.smoothed_noise,
    "decorrelated": filters.decorrelated,
    "farthest-point": filters.farthest_point,
    "phase-randomised": filters.random_phases,
    # Written after the thresholds were fixed: see docs/inspect.md for the commit.
    "untrained networks": later.untrained_network,
    "smoothed networks": later.smoothed_network,
    "spread cardinal Gabors": later.spread_cardinal_gabors,
    "edges and blobs": later.edges_and_blobs,
}
LATER = ("untrained networks", "smoothed networks", "spread cardinal Gabors", "edges and blobs")


def cells(quick: bool, data_dir: Path | None) -> Iterator[Cell]:
    """One cell a bank."""
    del data_dir
    for name, make in FAMILIES.items():
        for seed in range(2 if quick else BANKS):
            yield Cell({"input": name, "seed": seed}, partial(measure, make, seed))


def measure(make: Maker, seed: int) -> dict[str, Any]:
    """Whether a twin group is found, or any other twins; and how many filters look like copies."""
    generator = torch.Generator().manual_seed(10_000 + seed)
    found = inspect_bank(make(generator, *SHAPES[seed % len(SHAPES)]), seed=seed)
    others = [row.name for row in found.rows if row.twins and row.kind != "place"]
    places = [row for row in found.rows if row.kind == "place"]
    return {
        "rate": float(found.group.order > 1 or any(row.twins for row in places)),
        "limit": LIMIT,
        "count": 1,
        "others": float(bool(others)),
        "lookalikes": (found.lookalikes or 0) / max(1, found.filters),
        "largest gap": max(row.gap for row in places),
    }
