"""Benchmarks that are measured cell by cell: those that are finished are kept, so that a long one can be continued."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import torch

from lgn.files import read_json, write_json


class Cell(NamedTuple):
    """A measurement to make: what it is called, and how it is made."""

    key: dict[str, Any]
    measure: Callable[[], dict[str, Any]]


def run_cells(
    modules: Mapping[str, ModuleType],
    quick: bool = False,
    out: Path | None = None,
    parts: Sequence[str] = (),
    *,
    data_dir: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Measure all cells of the parts (all of them for none) that are not in the file `out` yet, writing it after each.

    A quick run has fewer cells, and needs nothing but what comes with the package. `progress` is told how many cells
    are done, of how many.
    """
    if unknown := [part for part in parts if part not in modules]:
        raise ValueError(f"parts must be of {', '.join(modules)}, got {unknown[0]!r}")
    stored: dict[str, Any] = read_json(out) if out is not None and out.is_file() else {"quick": quick, "cells": []}
    if stored["quick"] != quick:
        kind = "quick" if stored["quick"] else "full"
        raise ValueError(f"out must be a new file or one of the same kind of run, {out} has a {kind} one")
    result: dict[str, Any] = {"quick": quick, "threads": torch.get_num_threads(), "cells": list(stored["cells"])}
    finished = {_name(cell["key"]) for cell in result["cells"]}
    wanted = [cell for part in parts or modules for cell in cells_of(modules, part, quick, data_dir)]
    missing = [cell for cell in wanted if _name(cell.key) not in finished]
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
            write_json(out, result, indent=None)
    return result


def cells_of(modules: Mapping[str, ModuleType], part: str, quick: bool, data_dir: Path | None = None) -> Iterator[Cell]:
    """The cells of a part."""
    for cell in modules[part].cells(quick, data_dir):
        yield Cell({"part": part, **cell.key}, cell.measure)


def _name(key: dict[str, Any]) -> str:
    return json.dumps(key, sort_keys=True)
