"""Pages of runs, analyses and files of matrices."""

from dataclasses import replace
from os import PathLike
from pathlib import Path

from lgn.actions import Patch
from lgn.analysis import Analysis
from lgn.front.run_page import contents_of_run
from lgn.front.sources import Source, analyze
from lgn.pretrained import find_run, place_for
from lgn.report import Contents, write_page
from lgn.report.figures import write_figures
from lgn.training import Run


def write_report(
    source: Source | Analysis,
    path: str | PathLike[str] | None = None,
    *,
    against: Source | Analysis | None = None,
    patch: Patch | None = None,
    figures: bool = False,
    progress: bool = False,
) -> Path:
    """Write a page that shows what generators do, one HTML file that needs no network, and return its path.

    source: a run, an analysis, or a file of matrices. path: where to write the page; by default `report.html` in the
    run, or `NAME.report.html`. against: a second source to compare with. figures: also write the figures as PNG, SVG
    and PDF into `figures` beside the page.
    """
    out = _default_path(source) if path is None else Path(path)
    if not out.parent.is_dir():
        raise FileNotFoundError(f"path must be in a directory that exists, got {out}")
    contents = contents_of(source, patch=patch, progress=progress)
    other = None if against is None else contents_of(against, patch=patch, progress=progress)
    if against is not None and other is not None and other.title == contents.title:
        contents = replace(contents, title=f"{contents.title} ({_name(source)})")
        other = replace(other, title=f"{other.title} ({_name(against)})")
    write_page(out, contents, other)
    if figures:
        write_figures(contents, out.parent / "figures")
    return out


def contents_of(source: Source | Analysis, *, patch: Patch | None = None, progress: bool = False) -> Contents:
    """Everything that a page shows of a run, an analysis, or a file of matrices."""
    notes = ("These are bare matrices.",)
    if isinstance(source, Analysis):
        return Contents(title="matrices", analysis=source, notes=notes)
    if not isinstance(source, Run) and Path(source).is_file():
        analysis = analyze(source, patch=patch, progress=progress)
        return Contents(title=Path(source).name, analysis=analysis, notes=notes)
    run = find_run(source)
    return contents_of_run(run, analyze(run, progress=progress))


def _default_path(source: Source | Analysis) -> Path:
    if isinstance(source, Analysis):
        raise ValueError("path must be given for an analysis, which has no directory")
    if not isinstance(source, Run) and Path(source).is_file():
        return Path(source).with_suffix(".report.html")
    return place_for(find_run(source), "report.html")


def _name(source: Source | Analysis) -> str:
    return source.path.name if isinstance(source, Run) else Path(str(source)).name
