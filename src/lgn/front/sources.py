"""What can be analysed: a run, a model, a tensor of matrices, or a file of them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from tqdm import tqdm

from lgn.actions import Patch
from lgn.analysis import Analysis, analyze_matrices
from lgn.analysis.analyzing import analyze_subjects
from lgn.pretrained import find_run, is_pretrained
from lgn.training import Run
from lgn.training.subjects import subjects_of

Source = str | PathLike[str] | Run


def load(run: Source, *, device: str | torch.device = "cpu") -> nn.Module:
    """The trained network of a run directory, or of a name that comes with the package. Files never run code."""
    return find_run(run).model(device)


def analyze(
    source: Source | nn.Module | Tensor, *, patch: Patch | None = None, progress: bool = False, **options: Any
) -> Analysis:
    """Describe what generators do, in numbers, each compared with random matrices.

    source: a run, a model, matrices (G, d, d), or an .npy or .npz file of matrices.
    patch: for matrices, the size (n, m) of the filters that they act on; for a model with kernels of several sizes, the
        size to analyse.
    options: arguments of `lgn.analysis.analyze_matrices`, such as `draws` and `seed`.

    The analysis of a finished run is stored in the run. Without options it is read from there, unless the weights have
    changed.
    """
    if isinstance(source, nn.Module):
        return analyze_subjects(subjects_of(source, patch), progress=progress, **options)
    if not isinstance(source, Tensor | Run) and Path(source).is_file():
        source = read_matrices(Path(source))
    if isinstance(source, Tensor):
        if patch is None:
            raise ValueError("patch must be given for matrices: the size (n, m) of the filters that they act on")
        return analyze_matrices(source, patch=patch, progress=progress, **options)
    return _analyze_run(find_run(source), patch, progress, options)


def _analyze_run(run: Run, patch: Patch | None, progress: bool, options: dict[str, Any]) -> Analysis:
    path = run.path / "analysis.json"
    subjects = subjects_of(run.network, patch, run.initial())
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


@contextmanager
def progress_line(shown: bool) -> Iterator[Callable[[str], None]]:
    """A function that shows what is being done in one line on standard error; nothing in a log file."""
    with tqdm(bar_format="{desc}", leave=False, disable=None if shown else True) as line:
        yield line.set_description_str


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
