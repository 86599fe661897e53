"""`lgn analyze`: what generators do, with what chance would give."""

from pathlib import Path
from typing import Annotated

import numpy as np
import torch
import tyro
from torch import Tensor
from tqdm import tqdm

from lgn.analysis import Analysis, table
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
    """Say what each generator does, and how likely chance is to give it.

    Args:
        source: a run directory, the name of a network that comes with the package, or an .npy or .npz file of square
            matrices.
        patch: for a file: height and width of the filters that the matrices act on.
        draws: how many draws each null has at first; tests at the floor get more.
        seed: of the draws.
        out: where to write the analysis as JSON (default: analysis.json in the run, or NAME.analysis.json).
    """
    path = Path(source)
    analysis = analyze_source(path, patch, draws=draws, seed=seed)
    print(table(analysis))
    out = out or (path.with_suffix(".analysis.json") if path.is_file() else place_for(find_run(path), "analysis.json"))
    analysis.to_json(out)
    print(f"analysis: {out}")


def analyze_source(path: Path, patch: tuple[int, int] | None = None, **options: int) -> Analysis:
    """The analysis of a run directory or of a file of matrices, with a word on what is being done."""
    with tqdm(bar_format="{desc}", leave=False, disable=None) as line:  # silent in a log file
        source = read_matrices(path) if path.is_file() else path
        return analyze(source, patch, progress=line.set_description_str, **options)


def read_matrices(path: Path) -> Tensor:
    """Square matrices from .npy or .npz, all arrays of it, (G, d, d). No code is read."""
    try:
        content = np.load(path, allow_pickle=False)
        arrays = [content[name] for name in content.files] if hasattr(content, "files") else [content]
    except (ValueError, OSError, EOFError) as error:
        raise ValueError(f"{path} must be an .npy or .npz file of numbers: {error}") from None
    found = [torch.as_tensor(array) for array in arrays if array.ndim >= 2 and array.shape[-1] == array.shape[-2]]
    if not found or len({matrix.shape[-1] for matrix in found}) > 1:
        raise ValueError(f"{path} must hold square matrices of one size, got {[array.shape for array in arrays]}")
    return torch.cat([matrix.reshape(-1, *matrix.shape[-2:]).double() for matrix in found])
