"""What cannot be asked, and data that have nothing to say: one sentence each."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from lgn.discovery.moments import discover_from_data
from studies.cells import Cell
from studies.unknown import cases

GIVEN: dict[str, tuple[Callable[[], Tensor], int | None]] = {
    "fewer samples than are needed": (lambda: cases.skewed(100, 8, 0).x, None),
    "a rank that the samples are too few for": (lambda: cases.skewed(200, 60, 0).x, 60),
    "a rank beyond that of the data": (lambda: cases.skewed(1_000, 8, 0).x, 20),
    "constant columns": (lambda: torch.ones(1_000, 8), None),
    "NaN": (lambda: torch.full((1_000, 8), torch.nan), None),
    "60 rows, many times over": (lambda: cases.skewed(60, 8, 0).x.repeat(20, 1), None),
    "Gaussian data": (lambda: cases.gaussian(10_000, 8, 0).x, None),
}


def cells(quick: bool, data_dir: Path | None) -> Iterator[Cell]:  # noqa: ARG001
    for given in GIVEN:
        yield Cell({"given": given}, partial(answer, given))


def answer(given: str) -> dict[str, Any]:
    """The error, or the sentence of what was found."""
    make, rank = GIVEN[given]
    try:
        return {"refused": False, "says": discover_from_data(make(), rank=rank).sentence}
    except ValueError as error:
        return {"refused": True, "says": str(error)}
