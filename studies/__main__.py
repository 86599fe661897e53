"""`python -m studies NAME`: speed and recovery, for people or as JSON."""

import importlib
import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro
from tqdm import tqdm

from studies.cells import run_cells


def run(args: list[str]) -> int:
    tyro.cli(_benchmark, prog="python -m studies", args=args)
    return 0


def _benchmark(
    what: Annotated[
        Literal["speed", "recovery", "truth", "groups", "unknown", "symmetry", "signals", "inspection", "networks"],
        tyro.conf.Positional,
    ],
    quick: bool = False,
    json_output: Annotated[bool, tyro.conf.arg(name="json")] = False,
    out: Path | None = None,
    parts: tuple[str, ...] = (),
    authors: Path | None = None,
    against: Path | None = None,
    escnn: Path | None = None,
) -> None:
    """Measure, and say what was measured.

    Args:
        what: speed: a training step beside the straightforward one.
            recovery: is a planted symmetry found, and none where there is none? truth: what is claimed
            of inputs without anything to find, and with it? groups: are several generators found, and do they hold?
            unknown: are symmetries found that nobody named, and none where there are none? symmetry: what is said of
            images whose symmetries were planted? signals: and of signals and volumes? inspection: is a group found in
            filters that have one, and none in others? networks: are networks built on found symmetries better than free
            filters at equal parameters?
        quick: a smaller measurement, of a minute or a few.
        json_output: print one JSON object instead of a table.
        out: write the JSON to this file too; of all from recovery on, which take a while, what is in it is kept.
        parts: only these parts of it, such as planted; a wrong one is answered with all names. Of speed, the others of
            the file are kept.
        authors: of speed, a directory with the authors' model.py, which you have fetched: it is run, in turn.
        against: of speed, sources of another version of lgn, such as the src of a git worktree: timed in turn.
        escnn: of speed, a directory that escnn was installed into: its network of the same shape is timed in turn.
    """
    given = {"authors": authors, "against": against, "escnn": escnn}
    beside = {name: path for name, path in given.items() if path is not None}
    if beside and what != "speed":
        raise ValueError(f"{next(iter(beside))} must be given with speed alone, got it with {what}")
    benchmark = importlib.import_module(f"studies.{what}")
    if hasattr(benchmark, "MODULES"):  # measured cell by cell, with what is finished kept
        result = _with_bar(partial(run_cells, benchmark.MODULES, quick, out, parts))
    elif hasattr(benchmark, "measure_rows"):  # trainings, kept as runs beside the file
        result = _with_bar(partial(benchmark.measure_rows, quick, out, parts))
    else:
        result = benchmark.measure(quick=quick, parts=parts, out=out, **beside)
    sys.stdout.write((json.dumps(result) if json_output else benchmark.describe(result)) + "\n")


def _with_bar(measure: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    with tqdm(unit="cell", disable=None) as bar:

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        return measure(progress=progress)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
