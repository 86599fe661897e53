"""Running the benchmark cell by cell; those that are finished are kept."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from lgn.benchmarks.recovery import labels, maximum, planted, views
from lgn.benchmarks.recovery.cell import Cell
from lgn.training.files import read_json, write_json

MODULES = {"planted": planted, "maximum": maximum, "views": views, "labels": labels}
PARTS = tuple(MODULES)


def run(
    quick: bool = False,
    out: Path | None = None,
    parts: Sequence[str] = PARTS,
    *,
    data_dir: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Measure all cells of the parts that are not in the file `out` yet, writing it after each.

    A quick run has fewer cells, and needs no data but the digits that come with the package; the full one reads MNIST
    and CIFAR-10. `progress` is told how many cells are done, of how many.
    """
    if unknown := [part for part in parts if part not in PARTS]:
        raise ValueError(f"parts must be of {', '.join(PARTS)}, got {unknown[0]!r}")
    stored: dict[str, Any] = read_json(out) if out is not None and out.is_file() else {"quick": quick, "cells": []}
    if stored["quick"] != quick:
        kind = "quick" if stored["quick"] else "full"
        raise ValueError(f"out must be a new file or one of the same kind of run, {out} has a {kind} one")
    result: dict[str, Any] = {"quick": quick, "threads": torch.get_num_threads(), "cells": list(stored["cells"])}
    finished = {_name(cell["key"]) for cell in result["cells"]}
    missing = [cell for part in parts for cell in cells(part, quick, data_dir) if _name(cell.key) not in finished]
    for number, cell in enumerate(missing):
        if progress is not None:
            progress(number, len(missing))
        began, worked = time.perf_counter(), time.process_time()
        measured = cell.measure()
        times = {
            "seconds": round(time.perf_counter() - began, 3),
            "processor_seconds": round(time.process_time() - worked, 3),
        }
        result["cells"].append({"key": cell.key, **measured, **times})
        if out is not None:
            out.parent.mkdir(parents=True, exist_ok=True)
            write_json(out, result)
    return result


def measure(quick: bool = False) -> dict[str, Any]:
    """All parts, without a file."""
    return run(quick)


def cells(part: str, quick: bool, data_dir: Path | None = None) -> Iterator[Cell]:
    """The cells of a part."""
    for cell in MODULES[part].cells(quick, data_dir):
        yield Cell({"part": part, **cell.key}, cell.measure)


def _name(key: dict[str, Any]) -> str:
    return json.dumps(key, sort_keys=True)
