"""What every study shares: its options, its parts, and measurements that can be continued."""

import argparse
import json
import shutil
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


Cells = Callable[[bool], Iterable[Cell]]  # the cells of a part, given whether the run is quick


@dataclass(frozen=True)
class Study:
    """A study, as `python -m studies.NAME` runs it.

    measure: writes the results; called with quick=, out=, parts= and the paths of `options`
    options: further arguments that are paths, with their help
    """

    name: str
    parts: Sequence[str]
    measure: Callable[..., None]
    minutes: tuple[float, float]  # of a quick run and of a full run
    file: str = ""  # the stored results, without .json; by default the name
    tables: str = ""  # the study that has the tables; by default itself
    options: Mapping[str, str] | None = None

    @property
    def result(self) -> str:
        return self.file or self.name


def study_of_cells(name: str, parts: Mapping[str, Cells], minutes: tuple[float, float]) -> Study:
    """A study that is measured cell by cell."""
    return Study(name, list(parts), partial(measure_cells, parts), minutes)


def grid(measure: Callable[..., dict[str, Any]], **axes: Iterable[Any]) -> Iterator[Cell]:
    """A cell for each combination of values, which are the key and the arguments of `measure`."""
    for values in product(*axes.values()):
        key = dict(zip(axes, values, strict=True))
        yield Cell(key, partial(measure, **key))


def measure_cells(parts: Mapping[str, Cells], quick: bool, out: Path, chosen: Sequence[str] = ()) -> None:
    """Measure the cells that `out` does not have yet, and write the file after each of them."""
    stored: dict[str, Any] = read_json(out) if out.is_file() else {"quick": quick, "cells": []}
    if stored["quick"] != quick:
        raise ValueError(f"out must be new or have quick={quick}, got {out}")
    result: dict[str, Any] = {"quick": quick, "threads": torch.get_num_threads(), "cells": list(stored["cells"])}
    finished = {_identity(cell["key"]) for cell in result["cells"]}
    wanted = [Cell({"part": part, **cell.key}, cell.measure) for part in chosen or parts for cell in parts[part](quick)]
    for cell in tqdm([cell for cell in wanted if _identity(cell.key) not in finished], unit="cell", disable=None):
        began, worked = time.perf_counter(), time.process_time()
        measured = cell.measure()
        times = {"seconds": time.perf_counter() - began, "processor_seconds": time.process_time() - worked}
        times = {name: round(seconds, 3) for name, seconds in times.items()}
        result["cells"].append({"key": cell.key, **measured, **times})
        write_json(out, result, indent=None)


def _identity(key: dict[str, Any]) -> str:
    return json.dumps(key, sort_keys=True)


def main(study: Study, arguments: Sequence[str] | None = None) -> None:
    """Run a study and print its tables."""
    options = vars(_parser(study).parse_args(arguments))
    out = options.pop("out")
    with tempfile.TemporaryDirectory() as directory:
        path = out or Path(directory) / f"{study.result}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        study.measure(out=path, **{name: value for name, value in options.items() if value is not None})
        print(tables(study, path))


def _parser(study: Study) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"python -m studies.{study.name}")
    quick, full = study.minutes
    parser.add_argument("--quick", action="store_true", help=f"{quick:g} minutes instead of {full:g}, on bundled data")
    parser.add_argument("--out", type=Path, help="file of the results; cells that it has are not measured again")
    parser.add_argument("--parts", dest="chosen", nargs="+", choices=study.parts, default=(), help="all by default")
    for name, words in (study.options or {}).items():
        parser.add_argument(f"--{name}", type=Path, help=words)
    return parser


def tables(study: Study, path: Path) -> str:
    """The tables of what a file of results has."""
    texts = []
    with tempfile.TemporaryDirectory() as directory:
        shutil.copyfile(path, Path(directory) / f"{study.result}.json")
        for name, make in render.modules()[study.tables or study.name].TABLES.items():
            try:
                texts.append(f"{name}\n\n{make(Path(directory))}")
            except render.NotMeasured:
                continue
    return "\n\n".join(texts)
