"""`lgn analyze`: describe what the generators of a run do."""

import shlex
from pathlib import Path
from typing import Annotated

import tyro

from lgn.front import analyze
from lgn.pretrained import find_run, place_for


def run(args: list[str]) -> int:
    tyro.cli(_analyze, prog="lgn analyze", args=args)
    return 0


def _analyze(
    source: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="RUN|FILE")],
    patch: tuple[int, int] | None = None,
    draws: int = 1_000,
    seed: int = 0,
    out: Path | None = None,
) -> None:
    """Describe what each generator does, compared with random matrices.

    Args:
        source: A run directory, the name of a pretrained network, or an .npy or .npz file of square matrices.
        patch: For a file: height and width of the filters that the matrices act on.
        draws: Initial number of draws of each null model. Close cases get more.
        seed: Seed of the draws.
        out: File for the analysis, as JSON. The default is analysis.json in the run, or NAME.analysis.json.
    """
    is_file = Path(source).is_file()
    analysis = analyze(source, patch=patch, draws=draws, seed=seed, progress=True)
    default = Path(source).with_suffix(".analysis.json") if is_file else place_for(find_run(source), "analysis.json")
    analysis.save(out or default)
    print(f"{analysis}\n\nanalysis: {out or default}")
    if not is_file:
        print(f"next: lgn report {shlex.quote(source)}")
