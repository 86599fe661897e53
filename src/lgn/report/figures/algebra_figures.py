"""Figures of the algebra: orbits of filters, Cayley graphs, and matrices in the Fourier basis (app. D)."""

import math
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from lgn.actions import Patch, orbit
from lgn.analysis import Analysis
from lgn.analysis.generator import tensor
from lgn.analysis.structure import random_circulant, transform
from lgn.groups import Group
from lgn.report.cayley_layout import cayley
from lgn.report.figures.style import caption, columns_for, grid, mosaic, new_figure, place

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: The number of basis filters that are drawn for one generator.
MOST_BASES = 6
COLOURS = ("#c2571a", "#1f5fa8", "#3c7d3c", "#7a4b94")


def filter_sets(analysis: Analysis, bases: tuple[Tensor, ...], data: str) -> "Figure":
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
        matrix, shown = tensor(generator.matrix), filters[:MOST_BASES].double()
        elements = orbit(matrix, shown, generator.order or 1)  # (p, bases, n, m)
        # Every filter has its own scale: an orbit may grow or shrink.
        scaled = elements / elements.abs().amax((-2, -1), keepdim=True).clamp(min=1e-30)
        place(axes, mosaic(scaled.transpose(0, 1)), generator.name, size=7.5)
        axes.spines[:].set_visible(False)
    part = f", the first {MOST_BASES} of each generator" if any(len(filters) > MOST_BASES for filters in bases) else ""
    caption(
        figure,
        f"Filter sets: a basis filter and its orbit under the generator, from left to right{part}; each filter on its "
        f"own scale. Data: {data}.",
    )
    return figure


def cayley_graph(group: Group) -> "Figure":
    """Elements as words, with arrows from g to `a g`; arrows of involutions have no head."""
    drawn = cayley(group)
    figure = new_figure(5.0, 5.0)
    axes = figure.subplots()
    axes.set_aspect("equal")
    axes.set_axis_off()
    for number, (name, arrows) in enumerate(zip(drawn.generators, drawn.arrows, strict=True)):
        colour = COLOURS[number % len(COLOURS)]
        for g, h in enumerate(arrows):
            involution = arrows[h] == g
            if involution and h < g:
                continue
            head = "-" if involution else "-|>"
            style = {"arrowstyle": head, "color": colour, "shrinkA": 13, "shrinkB": 13, "lw": 1.4}
            axes.annotate("", drawn.places[h], drawn.places[g], arrowprops=style)
        axes.plot([], [], color=colour, label=name)
    for (x, y), word in zip(drawn.places, drawn.words, strict=True):
        axes.text(x, y, word, ha="center", va="center", size=9, bbox={"boxstyle": "round", "fc": "white", "ec": "0.6"})
    axes.set_xlim(-1.3, 1.3)
    axes.set_ylim(-1.3, 1.3)
    axes.legend(loc="upper right", frameon=False)
    caption(figure, f"The group {drawn.name}: {', '.join(drawn.relations)}; an arrow leads from g to a g.")
    return figure


def circulant_and_diagonal(d: int = 36, seed: int = 0) -> "Figure":
    """A random diagonal matrix D and the circulant matrix F^-1 D F (fig. 10)."""
    diagonal, circulant = random_circulant(d, torch.Generator().manual_seed(seed))
    figure = new_figure(5.4, 3.4)
    left, right = grid(figure, 1, 2)
    place(left, circulant, "circulant, F⁻¹ D F", size=10)
    place(right, diagonal.real, "diagonal, the real part of D", size=10)
    caption(
        figure, f"Circulant matrices are diagonal in the Fourier basis. Data: a random diagonal, {d}x{d}, seed {seed}."
    )
    return figure


def diagonalisation(matrix: Tensor, patch: Patch, name: str, data: str, seed: int = 0) -> "Figure":
    """A random matrix and a learned generator A in the Fourier basis (fig. 11): `|F A F^-1|`."""
    matrix = matrix.double()
    gaussian = torch.randn(matrix.shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    figure = new_figure(10.2, 3.6)
    axes = grid(figure, 1, 4)
    for column, (title, a) in enumerate((("random", gaussian), (name, matrix))):
        transformed = transform(a, (len(a),)).abs()
        share = float(transformed.diagonal().square().sum() / transformed.square().sum())
        place(axes[2 * column], a, title, block=patch[0], size=10)
        note = f"{100 * share:.1f} % of the energy on the diagonal"
        place(axes[2 * column + 1], transformed, "in the Fourier basis", size=10, note=note)
    caption(
        figure,
        f"A random matrix with Gaussian entries (seed {seed}), and {name}, in the Fourier basis: a circulant matrix "
        f"would be diagonal. Data: {data}.",
    )
    return figure
