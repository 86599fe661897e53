"""Colours, heat maps, captions and files of all figures."""

import io
import math
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from lgn.files import write_atomic
from lgn.text import DIVERGING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

FORMATS = ("png", "svg", "pdf")
INK, SOFT, BLUE, ORANGE = "#1c2129", "#5b6472", "#1d5fae", "#b85a00"


def new_figure(width: float, height: float) -> "Figure":
    """An empty figure; sizes are in inches. matplotlib.pyplot and its global state are not used."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained", facecolor="white")


def place(axes: "Axes", values: Tensor, title: str = "", *, block: int = 0, size: float = 8, note: str = "") -> None:
    """Draw a matrix or an image on its own scale, with lines between blocks of `block` cells."""
    from matplotlib.colors import LinearSegmentedColormap

    colours = LinearSegmentedColormap.from_list("lgn", DIVERGING).with_extremes(bad="white")
    axes.set_axis_on()
    values = values.detach().double()
    known = values[~values.isnan()].abs()
    largest = (float(known.max()) if known.numel() else 0.0) or 1.0
    axes.imshow(values.cpu().numpy(), cmap=colours, vmin=-largest, vmax=largest, interpolation="nearest")
    for cell in range(block, len(values), block) if block else ():
        axes.axhline(cell - 0.5, color=INK, alpha=0.12, linewidth=0.4)
        axes.axvline(cell - 0.5, color=INK, alpha=0.12, linewidth=0.4)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_color("#c9c6be")
    axes.spines[:].set_linewidth(0.5)
    # Names come from data: a dollar sign in them must not start a formula.
    axes.set_title(title, fontsize=size, color=INK, parse_math=False, pad=3)
    if note:
        axes.set_xlabel(note, fontsize=size * 0.85, color=SOFT, parse_math=False, labelpad=3)


def grid(figure: "Figure | SubFigure", rows: int, columns: int) -> "Sequence[Axes]":
    """`rows * columns` axes, row by row; axes without content stay invisible."""
    axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    for empty in axes:
        empty.set_axis_off()
    return axes


def columns_for(count: int, aspect: float) -> int:
    """The number of columns of a grid for `count` squares: near `aspect` times the rows, with few empty places."""
    ideal = math.sqrt(count * aspect)
    near = range(max(1, math.floor(0.75 * ideal)), math.ceil(1.25 * ideal) + 1)
    return min(near, key=lambda columns: (-count % columns, abs(columns - ideal)))


def caption(figure: "Figure", text: str) -> None:
    """Write a caption under the figure."""
    wrapped = textwrap.fill(text, max(30, int(figure.get_figwidth() * 16)))
    figure.supxlabel(wrapped, x=0.01, ha="left", fontsize=8, color=INK, parse_math=False)


def mosaic(images: Tensor) -> Tensor:
    """Images side by side as one, with gaps of one pixel that are NaN.

    Shapes: (rows, columns, n, m) -> (rows * (n + 1) - 1, columns * (m + 1) - 1)
    """
    padded = torch.nn.functional.pad(images.double(), (0, 1, 0, 1), value=float("nan"))
    return padded.permute(0, 2, 1, 3).flatten(2).flatten(0, 1)[:-1, :-1]


def save(figure: "Figure", path: str | Path, formats: Iterable[str] = FORMATS) -> tuple[Path, ...]:
    """Write `path.png`, `path.svg` and `path.pdf`; the same figure gives the same bytes."""
    import matplotlib
    from PIL import Image

    written = []
    dates = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}  # equal figures give equal files
    for kind in formats:
        if kind not in dates:
            raise ValueError(f"formats must be among {FORMATS}, got {kind!r}")
        content = io.BytesIO()
        with matplotlib.rc_context({"svg.hashsalt": "lgn", "svg.fonttype": "none"}):
            figure.savefig(content, format=kind, dpi=180, metadata=dates[kind])
        if kind == "png":  # a palette halves the size
            image = Image.open(content).convert("RGB").quantize(256)
            content = io.BytesIO()
            image.save(content, format=kind, optimize=True)
        target = Path(f"{path}.{kind}")
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(target, content.getvalue())
        written.append(target)
    return tuple(written)
