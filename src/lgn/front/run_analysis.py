"""`lgn.load` and `lgn.analyze`: the network of a run, and what its generators do."""

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from lgn.actions import Patch
from lgn.analysis import Analysis, analyze_matrices
from lgn.analysis.analyzing import analyze_subjects
from lgn.pretrained import find_run, is_pretrained, place_for
from lgn.training import Run
from lgn.training.subjects import subjects_of

Source = str | PathLike[str] | Run


def is_file(source: Source | Analysis) -> bool:
    """Whether a source is a file of matrices."""
    return isinstance(source, str | PathLike) and Path(source).is_file()


def default_path(source: Source | Analysis, name: str) -> Path:
    """The path for a file made from a source: in a run, next to a file of matrices, or in the working directory."""
    if isinstance(source, Analysis):
        raise ValueError("path must be given for an analysis, got None")
    return Path(str(source)).with_suffix(f".{name}") if is_file(source) else place_for(find_run(source), name)


def load(run: Source, *, device: str | torch.device = "cpu") -> nn.Module:
    """The trained network of a run directory or of a pretrained network's name. Loading it never runs code."""
    return find_run(run).model(device)


def analyze(
    source: Source | nn.Module | Tensor, *, patch: Patch | None = None, progress: bool = False, **options: Any
) -> Analysis:
    """Measure what generators do, and compare every measurement with random matrices.

    source: a run, a model, matrices (G, d, d), or an .npy or .npz file of matrices.
    patch: for matrices, the size (n, m) of the filters that they act on; for a model with kernels of several sizes, the
        size to analyse.
    options: arguments of `lgn.analysis.analyze_matrices`, such as `draws` and `seed`.

    Without options, the analysis of a finished run is stored in the run, and read from there if the weights are equal.
    """
    if isinstance(source, nn.Module):
        return analyze_subjects(subjects_of(source, patch), progress=progress, **options)
    if not isinstance(source, Tensor | Run) and Path(source).is_file():
        source = read_matrices(Path(source))
    if isinstance(source, Tensor):
        if patch is None:
            raise ValueError("patch must be given for matrices, got None")
        return analyze_matrices(source, patch=patch, progress=progress, **options)
    run = find_run(source)
    path, subjects = run.path / "analysis.json", subjects_of(run.network, patch, run.initial())
    if not options and path.is_file():
        stored = Analysis.load(path)
        old = [torch.tensor(generator.matrix, dtype=torch.float64) for generator in stored.generators]
        new = [subject.matrix for subject in subjects]
        if len(old) == len(new) and all(torch.allclose(*pair) for pair in zip(old, new, strict=True)):
            return stored
    made = analyze_subjects(subjects, progress=progress, **options)
    if run.finished and not options and not is_pretrained(run):
        made.save(path)
    return made


def read_matrices(path: Path) -> Tensor:
    """All square matrices in an .npy or .npz file.  (G, d, d)"""
    try:
        content = np.load(path, allow_pickle=False)
        arrays = [content[name] for name in content.files] if hasattr(content, "files") else [content]
    except (ValueError, OSError, EOFError) as error:
        raise ValueError(f"{path} must be an .npy or .npz file of numbers: {error}") from None
    found = [torch.as_tensor(array) for array in arrays if array.ndim >= 2 and array.shape[-1] == array.shape[-2]]
    if not found or len({matrix.shape[-1] for matrix in found}) > 1:
        raise ValueError(f"{path} must have square matrices of one size, got {[array.shape for array in arrays]}")
    return torch.cat([matrix.reshape(-1, *matrix.shape[-2:]).double() for matrix in found])
