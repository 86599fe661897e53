"""Studies: their options, their parts, and measurements that can be continued."""

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import torch
from tqdm import tqdm

from lgn.files import read_json, write_json
from studies import render


class Cell(NamedTuple):
    """A measurement: the entries that identify it, and a function that makes it."""

    key: dict[str, Any]
    measure: Callable[[], dict[str, Any]]


def cell(measure: Callable[..., dict[str, Any]], settings: Mapping[str, Any] | None = None, /, **key: Any) -> Cell:
    """The measurement `measure(**key, **settings)`, identified by its key."""
    return Cell(key, partial(measure, **key, **(settings or {})))


def grid(
    measure: Callable[..., dict[str, Any]], settings: Mapping[str, Any] | None = None, /, **axes: Iterable[Any]
) -> Iterator[Cell]:
    """A cell for each combination of values; the last axis varies fastest."""
    for values in product(*axes.values()):
        yield cell(measure, settings, **dict(zip(axes, values, strict=True)))


Cells = Callable[[bool], Iterable[Cell]]  # the cells of a part, given whether the run is quick


@dataclass(frozen=True)
class Study:
    """A study, as `python -m studies.NAME` runs it."""

    name: str
    minutes: tuple[float, float]  # of a quick run and of a full run
    parts: Mapping[str, Cells]


def measure_cells(parts: Mapping[str, Cells], quick: bool, out: Path, chosen: Sequence[str] = ()) -> None:
    """Measure the cells that `out` does not have yet, and write the file after each of them."""
    stored: dict[str, Any] = read_json(out) if out.is_file() else {"quick": quick, "cells": []}
    if stored["quick"] != quick:
        raise ValueError(f"out must be new or have quick={quick}, got {out}")
    result: dict[str, Any] = {"quick": quick, "threads": torch.get_num_threads(), "cells": list(stored["cells"])}
    finished = {_identity(one["key"]) for one in result["cells"]}
    wanted = [Cell({"part": part, **one.key}, one.measure) for part in chosen or parts for one in parts[part](quick)]
    for one in tqdm([one for one in wanted if _identity(one.key) not in finished], unit="cell", disable=None):
        began, worked = time.perf_counter(), time.process_time()
        measured = one.measure()
        times = {"seconds": time.perf_counter() - began, "processor_seconds": time.process_time() - worked}
        result["cells"].append({"key": one.key, **rounded({**measured, **times})})
        write_json(out, result, indent=None)


def rounded(value: Any) -> Any:
    """Numbers with six significant digits, also in dictionaries and lists: a file of hundreds of cells stays small."""
    if isinstance(value, dict):
        return {name: rounded(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(item) for item in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _identity(key: dict[str, Any]) -> str:
    return json.dumps(key, sort_keys=True)


def run(study: Study, arguments: Sequence[str]) -> None:
    """Run a study and print its tables."""
    parser = argparse.ArgumentParser(prog=f"python -m studies.{study.name}")
    quick, full = study.minutes
    parser.add_argument("--quick", action="store_true", help=f"{quick:g} minutes instead of {full:g}, on bundled data")
    parser.add_argument("--out", type=Path, help="file of the results; cells that it has are not measured again")
    parser.add_argument("--parts", nargs="+", choices=list(study.parts), default=(), help="all by default")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as directory:
        path = options.out or Path(directory) / f"{study.name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        measure_cells(study.parts, options.quick, path, options.parts)
        print(tables(study, path))


def tables(study: Study, path: Path) -> str:
    """The tables of the study's page, from a file of results; without those that the file has no cells for."""
    page = (render.ROOT / "docs" / "evidence" / f"{study.name}.md").read_text()
    found = {match.group(1): render.rendered(match, render.Results(path)) for match in render.TABLE.finditer(page)}
    return "\n\n".join(f"{name}\n\n{text}" for name, text in found.items() if not text.startswith(render.MISSING))
