"""`lgn report`: the page of a run, or of any matrices, and the figures."""

import webbrowser
from pathlib import Path
from typing import Annotated

import tyro

from lgn.commands.analyze import said_line
from lgn.front import write_report


def run(args: list[str]) -> int:
    tyro.cli(_report, prog="lgn report", args=args)
    return 0


def _report(
    source: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN|FILE")],
    against: Path | None = None,
    out: Path | None = None,
    open: bool = False,
    figures: bool = False,
    patch: tuple[int, int] | None = None,
) -> None:
    """Make one HTML file that shows what was learned. It opens anywhere, offline.

    Args:
        source: a run directory, the name of a network that comes with the package, or an .npy or .npz file of square
            matrices.
        against: a second run, or file, to put beside it.
        out: where to write the page (default: report.html in the run, or NAME.report.html).
        open: open the page when it is written.
        figures: write the figures too, as PNG, SVG and PDF, into `figures` beside the page.
        patch: for a file: height and width of the filters that the matrices act on.
    """
    with said_line() as say:
        written = write_report(source, out, against=against, patch=patch, figures=figures, progress=say)
    if figures:
        print(f"figures: {written.parent / 'figures'}")
    print(f"page: {written}")
    if open:
        webbrowser.open(written.resolve().as_uri())
