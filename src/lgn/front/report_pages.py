"""`lgn.write_report`: pages of runs, analyses and files of matrices."""

from dataclasses import replace
from os import PathLike
from pathlib import Path

from lgn.actions import Patch
from lgn.analysis import Analysis
from lgn.front.run_analysis import Source, analyze, default_path, is_file
from lgn.front.run_page import contents_of_run
from lgn.pretrained import find_run
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
    """Write a page that shows what generators do, one HTML file that works offline, and return its path.

    source: a run, an analysis, or a file of matrices.  against: a second source to compare with.
    path: the page; by default `report.html` in the run, or `NAME.report.html`.
    figures: also write the figures as PNG, SVG and PDF into `figures` next to the page.
    """
    out = default_path(source, "report.html") if path is None else Path(path)
    if not out.parent.is_dir():
        raise FileNotFoundError(f"path must be in a directory that exists, got {out}")
    shown = [contents_of(one, patch=patch, progress=progress) for one in (source, against) if one is not None]
    if len({contents.title for contents in shown}) < len(shown):
        names = [one.path.name if isinstance(one, Run) else Path(str(one)).name for one in (source, against)]
        shown = [replace(one, title=f"{one.title} ({name})") for one, name in zip(shown, names, strict=True)]
    write_page(out, *shown)
    if figures:
        write_figures(shown[0], out.parent / "figures")
    return out


def contents_of(source: Source | Analysis, *, patch: Patch | None = None, progress: bool = False) -> Contents:
    """Everything that a page shows of a run, an analysis, or a file of matrices."""
    if isinstance(source, Analysis):
        return Contents(title="matrices", analysis=source)
    analysis = analyze(source, patch=patch, progress=progress)
    if is_file(source):
        return Contents(title=Path(str(source)).name, analysis=analysis)
    return contents_of_run(find_run(source), analysis)
