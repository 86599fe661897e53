"""What all figures share: colours, heat maps, captions, and files."""

import math
import os
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from lgn.text import DIVERGING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure, SubFigure

FORMATS = ("png", "svg", "pdf")
INK, SOFT, BLUE, ORANGE = "#1c2129", "#5b6472", "#1d5fae", "#b85a00"


def new_figure(width: float, height: float) -> "Figure":
    """An empty figure, in inches, free of any global state."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained", facecolor="white")


def colour_map() -> "Colormap":
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("lgn", DIVERGING).with_extremes(bad="white")


def place(axes: "Axes", values: Tensor, title: str = "", *, block: int = 0, size: float = 8, note: str = "") -> None:
    """A matrix or an image on its own scale, zero in the middle; lines between blocks of `block` cells."""
    axes.set_axis_on()
    values = values.detach().double()
    known = values[~values.isnan()].abs()
    most = float(known.max()) if known.numel() and float(known.max()) > 0 else 1.0
    axes.imshow(values.numpy(), cmap=colour_map(), vmin=-most, vmax=most, interpolation="nearest")
    for cell in range(block, len(values), block) if block else ():
        axes.axhline(cell - 0.5, color=INK, alpha=0.12, linewidth=0.4)
        axes.axvline(cell - 0.5, color=INK, alpha=0.12, linewidth=0.4)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_color("#c9c6be")
    axes.spines[:].set_linewidth(0.5)
    # Names come from data: a dollar in them is no mathematics.
    axes.set_title(title, fontsize=size, color=INK, parse_math=False, pad=3)
    if note:
        axes.set_xlabel(note, fontsize=size * 0.85, color=SOFT, parse_math=False, labelpad=3)


def grid(figure: "Figure | SubFigure", rows: int, columns: int) -> "Sequence[Axes]":
    """`rows * columns` axes, row by row, all of them empty until they are drawn on."""
    axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    for each in axes:
        each.set_axis_off()
    return axes


def columns_for(count: int, aspect: float) -> int:
    """How many columns a grid of `count` squares has, near `aspect` times as wide as high, with few places empty."""
    ideal = math.sqrt(count * aspect)
    near = range(max(1, math.floor(0.75 * ideal)), math.ceil(1.25 * ideal) + 1)
    return min(near, key=lambda columns: (-count % columns, abs(columns - ideal)))


def caption(figure: "Figure", text: str) -> None:
    """Write what is shown, and on which data, under the figure."""
    wrapped = textwrap.fill(text, max(30, int(figure.get_figwidth() * 16)))
    figure.supxlabel(wrapped, x=0.01, ha="left", fontsize=8, color=INK, parse_math=False)


def mosaic(images: Tensor) -> Tensor:
    """Images side by side as one, with gaps of one pixel that are NaN.

    Shapes: (rows, columns, n, m) -> (rows * (n + 1) - 1, columns * (m + 1) - 1)
    """
    padded = torch.nn.functional.pad(images.double(), (0, 1, 0, 1), value=float("nan"))
    return padded.permute(0, 2, 1, 3).flatten(2).flatten(0, 1)[:-1, :-1]


def save(figure: "Figure", path: str | Path, formats: Iterable[str] = FORMATS) -> tuple[Path, ...]:
    """Write `path.png`, `path.svg`, `path.pdf`, each whole or not at all; the same figure gives the same bytes."""
    import matplotlib
    from PIL import Image

    written = []
    # A date in a file would make it differ every time.
    dates = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    for kind in formats:
        if kind not in dates:
            raise ValueError(f"formats must be among {FORMATS}, got {kind!r}")
        target = Path(f"{path}.{kind}")
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".{target.name}.part")
        with matplotlib.rc_context({"svg.hashsalt": "lgn", "svg.fonttype": "none"}):
            figure.savefig(temporary, format=kind, dpi=180, metadata=dates[kind])
        if kind == "png":  # 256 colours are what the eye tells apart here, at half the bytes
            Image.open(temporary).convert("RGB").quantize(256).save(temporary, format=kind, optimize=True)
        os.replace(temporary, target)
        written.append(target)
    return tuple(written)
