"""Filter sets: basis filters and their orbits under the generators."""

import math
from typing import TYPE_CHECKING

from lgn.actions import orbit
from lgn.analysis import Analysis
from lgn.analysis.generator import tensor
from lgn.report.figures.style import caption, columns_for, grid, mosaic, new_figure, place

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from torch import Tensor

#: The number of basis filters that are drawn for one generator.
MOST_BASES = 6


def filter_sets(analysis: Analysis, bases: "tuple[Tensor, ...]", data: str) -> "Figure":
    """`W, phi(W), ..., phi^(p-1)(W)` from left to right (eq. 9), one row per basis filter.

    bases: the basis filters of each generator, (bases, n, m)
    """
    if any(generator.order is None for generator in analysis.generators):
        raise ValueError("analysis must have an order for filter sets, got None")
    longest = max(generator.order or 0 for generator in analysis.generators)
    drawn = max(min(MOST_BASES, len(filters)) for filters in bases)
    columns = min(6, columns_for(len(bases), 1.2))
    rows = math.ceil(len(bases) / columns)
    figure = new_figure(2.3 * columns + 0.2, rows * (0.5 * drawn * 4 / longest + 0.35) + 0.8)
    figure.get_layout_engine().set(w_pad=0.14, h_pad=0.06)  # type: ignore[union-attr, call-arg]
    for axes, generator, filters in zip(grid(figure, rows, columns), analysis.generators, bases, strict=False):
        elements = orbit(
            tensor(generator.matrix), filters[:MOST_BASES].double(), generator.order or 1
        )  # (p, bases, n, m)
        # Every filter has its own scale: an orbit may grow or shrink.
        scaled = elements / elements.abs().amax((-2, -1), keepdim=True).clamp(min=1e-30)
        place(axes, mosaic(scaled.transpose(0, 1)), generator.name, size=7.5)
        axes.spines[:].set_visible(False)
    shown = f", the first {MOST_BASES} of each generator" if any(len(filters) > MOST_BASES for filters in bases) else ""
    caption(
        figure,
        f"Filter sets: a basis filter and its orbit under the generator, from left to right{shown}; each filter on its "
        f"own scale. Data: {data}.",
    )
    return figure
