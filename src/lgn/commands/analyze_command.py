"""`lgn analyze`: describe what the generators of a run do."""

import shlex
from pathlib import Path
from typing import Annotated

import tyro

from lgn.front.run_analysis import analyze, default_path, is_file


def run(
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
    analysis = analyze(source, patch=patch, draws=draws, seed=seed, progress=True)
    path = out or default_path(source, "analysis.json")
    analysis.save(path)
    print(f"{analysis}\n\nanalysis: {path}")
    if not is_file(source):
        print(f"next: lgn report {shlex.quote(source)}")
