"""The front door: a run, a model or matrices in; a trained network, an analysis or a page out."""

from collections.abc import Callable
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from lgn.actions import Patch
from lgn.analysis import Analysis, analyze_matrices
from lgn.analysis.analyze import analyze_subjects
from lgn.front.contents import contents_of_run
from lgn.front.matrices import read_matrices
from lgn.front.unknown import discover_from_data
from lgn.pretrained import find_run, place_for
from lgn.report import Contents, write_page
from lgn.report.figures import write_figures
from lgn.training import Run
from lgn.training.subjects import subjects_of

Source = str | PathLike[str] | Run


def load(run: Source, device: str | None = None) -> nn.Module:
    """The network of a run directory, or of a name that comes with the package. No code is read from any file."""
    return find_run(run).model(device)


def analyze(source: Source | nn.Module | Tensor, patch: Patch | None = None, **options: Any) -> Analysis:
    """Say what generators do, in numbers and with what chance would give: of a run, a model, or any matrices.

    Matrices (G, d, d), or an .npy or .npz file of them, need `patch`, the size (n, m) of the filters that they act on;
    of a model with kernels of several sizes it chooses one. `options` are those of `lgn.analysis.analyze_matrices`,
    such as `draws` and `seed`. Of a run without any, see `Run.analysis`.
    """
    if isinstance(source, nn.Module):
        return analyze_subjects(subjects_of(source, patch), **options)
    if not isinstance(source, Tensor | Run) and Path(source).is_file():
        source = read_matrices(Path(source))
    if isinstance(source, Tensor):
        if patch is None:
            raise ValueError("patch must be given for matrices: the size (n, m) of the filters that they act on")
        return analyze_matrices(source, patch, **options)
    return find_run(source).analysis(**({} if patch is None else {"patch": patch}), **options)


def write_report(
    source: Source | Analysis,
    path: str | PathLike[str] | None = None,
    *,
    against: Source | Analysis | None = None,
    patch: Patch | None = None,
    figures: bool = False,
    progress: Callable[[str], None] = lambda _: None,
) -> Path:
    """Write the page of a run, of an analysis, or of a file of matrices: one file that opens anywhere. -> its path

    path: where to; by default `report.html` in the run, or `NAME.report.html` for a file of matrices. against: a second
    one, to put beside it. figures: write those too, as PNG, SVG and PDF, into `figures` beside the page.
    """
    out = _default_path(source) if path is None else Path(path)
    if not out.parent.is_dir():
        raise FileNotFoundError(f"the page must be in a directory that exists, got {out}")
    contents = contents_of(source, patch, progress)
    other = None if against is None else contents_of(against, patch, progress)
    if other is not None and other.title == contents.title:
        contents = replace(contents, title=f"{contents.title} ({_name(source)})")
        other = replace(other, title=f"{other.title} ({_name(against)})")
    write_page(out, contents, other)
    if figures:
        write_figures(contents, out.parent / "figures")
    return out


def contents_of(
    source: Source | Analysis, patch: Patch | None = None, progress: Callable[[str], None] = lambda _: None
) -> Contents:
    """All that a page shows of a run, of an analysis, or of a file of matrices."""
    notes = ("These are bare matrices.",)
    if isinstance(source, Analysis):
        return Contents(title="matrices", analysis=source, notes=notes)
    if not isinstance(source, Run) and Path(source).is_file():
        return Contents(title=Path(source).name, analysis=analyze(source, patch, progress=progress), notes=notes)
    return contents_of_run(find_run(source), progress)


def _default_path(source: Source | Analysis) -> Path:
    if isinstance(source, Analysis):
        raise ValueError("path must be given for the page of an analysis, which has no directory of its own")
    if not isinstance(source, Run) and Path(source).is_file():
        return Path(source).with_suffix(".report.html")
    return place_for(find_run(source), "report.html")


def _name(source: Source | Analysis | None) -> str:
    return source.path.name if isinstance(source, Run) else Path(str(source)).name


__all__ = ["analyze", "contents_of", "discover_from_data", "load", "write_report"]
