"""`lgn benchmark`: speed and recovery, for people or as JSON."""

import importlib
import json
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro
from tqdm import tqdm

from lgn.benchmarks.cells import run_cells
from lgn.whole_files import write_json

Part = Literal[
    "planted", "maximum", "views", "labels", "matrices", "models", "power", "fits", "search", "depth", "cost",
    "unrelated", "orbits", "balance", "following",
    "images", "later", "left-right", "tasks", "few", "gains", "angles",
]  # fmt: skip
#: Those that are measured cell by cell, with what is finished kept.
BY_CELLS = ("recovery", "truth", "groups", "inspection", "symmetry")


def run(args: list[str]) -> int:
    tyro.cli(_benchmark, prog="lgn benchmark", args=args)
    return 0


def _benchmark(
    what: Annotated[
        Literal["speed", "layers", "recovery", "truth", "groups", "inspection", "symmetry"], tyro.conf.Positional
    ],
    quick: bool = False,
    json_output: Annotated[bool, tyro.conf.arg(name="json")] = False,
    out: Path | None = None,
    parts: tuple[Part, ...] = (),
) -> None:
    """Measure, and say what was measured.

    Args:
        what: speed: a training step beside the straightforward one. layers: a group layer beside a convolution.
            recovery: is a planted symmetry found, and none where there is none? truth: what is claimed
            of inputs without anything to find, and with it? groups: are several generators found, and do they hold?
            inspection: is a group found in filters that have one, and none in others? symmetry: what is said
            of images whose symmetries were planted?
        quick: a smaller measurement, of a minute or a few.
        json_output: print one JSON object instead of a table.
        out: write the JSON to this file too; of all from recovery on, which take a while, what is in it is kept.
        parts: of recovery (planted, maximum, views, labels), truth (matrices, models, power, fits, search), groups
            (planted, views, depth, cost), inspection (unrelated, orbits, balance, following) and symmetry (images,
            later, left-right, tasks, few, gains, angles), only these.
    """
    benchmark = importlib.import_module(f"lgn.benchmarks.{what}")
    if what in BY_CELLS:
        result = _by_cells(benchmark.MODULES, quick, out, parts)
    elif parts:
        raise ValueError(f"parts must be given with one of {', '.join(BY_CELLS)}, got {parts[0]} with {what}")
    else:
        result = benchmark.measure(quick=quick)
        if out is not None:
            write_json(out, result)
    sys.stdout.write((json.dumps(result) if json_output else benchmark.describe(result)) + "\n")


def _by_cells(modules: dict[str, Any], quick: bool, out: Path | None, parts: tuple[Part, ...]) -> dict[str, Any]:
    with tqdm(unit="cell", disable=None) as bar:

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        return run_cells(modules, quick, out, parts, progress=progress)
