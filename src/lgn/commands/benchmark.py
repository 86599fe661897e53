"""`lgn benchmark`: speed and recovery, for people or as JSON."""

import importlib
import json
import sys
from pathlib import Path
from typing import Annotated, Literal

import tyro
from tqdm import tqdm

from lgn.training.files import write_json


def run(args: list[str]) -> int:
    tyro.cli(_benchmark, prog="lgn benchmark", args=args)
    return 0


def _benchmark(
    what: Annotated[Literal["speed", "layers", "recovery"], tyro.conf.Positional],
    quick: bool = False,
    json_output: Annotated[bool, tyro.conf.arg(name="json")] = False,
    out: Path | None = None,
) -> None:
    """Measure, and say what was measured.

    Args:
        what: speed: a training step beside the straightforward one. layers: a group layer beside a convolution, and
            each penalty. recovery: is a planted symmetry found, and none where there is none?
        quick: a smaller measurement, of a minute or a few.
        json_output: print one JSON object instead of a table.
        out: write the JSON to this file too; of recovery, whose cells take hours in all, those that are in it are kept.
    """
    benchmark = importlib.import_module(f"lgn.benchmarks.{what}")
    if what == "recovery":
        with tqdm(unit="cell", disable=None) as bar:
            result = benchmark.run(quick, out, progress=lambda _: bar.update())
    else:
        result = benchmark.measure(quick=quick)
        if out is not None:
            write_json(out, result)
    sys.stdout.write((json.dumps(result) if json_output else benchmark.describe(result)) + "\n")
