"""`lgn report`: write the page and the figures of a run, or of matrices."""

import webbrowser
from pathlib import Path
from typing import Annotated

import tyro

from lgn.front import write_report


def run(
    source: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN|FILE")],
    against: Path | None = None,
    out: Path | None = None,
    open: bool = False,
    figures: bool = False,
    patch: tuple[int, int] | None = None,
) -> None:
    """Write a page that shows what the generators do: one HTML file that works offline.

    Args:
        source: A run directory, the name of a pretrained network, or an .npy or .npz file of square matrices.
        against: A second run or file to compare with.
        out: The page. The default is report.html in the run, or NAME.report.html.
        open: Open the page in a browser.
        figures: Also write the figures as PNG, SVG and PDF into `figures` next to the page.
        patch: For a file: height and width of the filters that the matrices act on.
    """
    page = write_report(source, out, against=against, patch=patch, figures=figures, progress=True)
    if figures:
        print(f"figures: {page.parent / 'figures'}")
    print(f"page: {page}")
    if open:
        webbrowser.open(page.resolve().as_uri())
