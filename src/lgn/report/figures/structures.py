"""Learned group actions by their structure: figures 1, 2, 6 and 7, and the picture of all."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from lgn.analysis import Analysis
from lgn.analysis.generator import tensor
from lgn.report.figures.choose import RULE, highest
from lgn.report.figures.style import SOFT, caption, columns_for, grid, new_figure, place

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

#: The structures of section 5.1, in the order of the paper.
STRUCTURES = ("skew-symmetric", "Toeplitz", "multi-scale")


def group_actions(analysis: Analysis, data: str, rows: int = 2) -> "Figure":
    """Emerging group structures (figs. 1 and 6): the highest scores of each structure, and all beside them."""
    rows = min(rows, len(analysis.generators))
    figure = new_figure(11.5, 2.5 * rows + 0.85)
    left, right = figure.subfigures(1, 2, squeeze=False, width_ratios=(1.25, 1)).flat
    axes = grid(left, rows, len(STRUCTURES))
    for column, structure in enumerate(STRUCTURES):
        for row, each in enumerate(highest(analysis, structure, rows)):
            title = structure.capitalize() if row == 0 else ""
            place(
                axes[row * len(STRUCTURES) + column],
                tensor(each.generator.matrix),
                title,
                block=analysis.patch[0],
                size=10,
                note=each.words,
            )
    _all(right, analysis)
    count = len(analysis.generators)
    caption(
        figure,
        f"Learned group actions by structure. Data: {data}. Of {count}, {RULE}; in brackets what chance gives. "
        "Right: all generators.",
    )
    return figure


def effect_on_identity(analysis: Analysis, data: str) -> "Figure":
    """What the actions of figure 1 do to the identity (fig. 2), and what all the others do, beside it."""
    figure = new_figure(11.5, 3.4)
    left, right = figure.subfigures(1, 2, squeeze=False, width_ratios=(1.25, 1)).flat
    for axes, structure in zip(grid(left, 1, len(STRUCTURES)), STRUCTURES, strict=True):
        (each,) = highest(analysis, structure, 1)
        place(axes, tensor(each.generator.effect_on_identity), structure.capitalize(), size=10, note=each.words)
    _all(right, analysis, effect=True)
    count = len(analysis.generators)
    caption(
        figure,
        f"The effect of group actions on the identity. Data: {data}. Of {count}, {RULE}; in brackets what chance "
        "gives. Right: the effect of every generator.",
    )
    return figure


def reconstruction_actions(analyses: Mapping[str, Analysis]) -> "Figure":
    """Group actions learned for reconstruction (fig. 7): the two most concentrated of each data set, and all."""
    figure = new_figure(11.5, 3.0 * len(analyses) + 0.75)
    bands = figure.subfigures(len(analyses), 1, squeeze=False).flat
    for band, (data, analysis) in zip(bands, analyses.items(), strict=True):
        left, right = band.subfigures(1, 2, squeeze=False).flat
        left.suptitle(data, fontsize=9, color=SOFT)  # one for both: a title above each would run into the other
        for axes, each in zip(grid(left, 1, 2), highest(analysis, "concentrated blocks", 2), strict=False):
            place(axes, tensor(each.generator.matrix), block=analysis.patch[0], size=10, note=each.words)
        _all(right, analysis)
    caption(
        figure,
        f"The most concentrated group actions. Data: {'; '.join(analyses)}. The two generators with the most energy "
        "in a tenth of their blocks are shown, a circle marks what is no finding; in brackets what chance gives. "
        "Right: all generators.",
    )
    return figure


def all_generators(analysis: Analysis, data: str) -> "Figure":
    """Every generator with its name and its findings, in the order of the network."""
    columns = columns_for(len(analysis.generators), 1.3)
    rows = math.ceil(len(analysis.generators) / columns)
    figure = new_figure(1.55 * columns + 0.3, 1.85 * rows + 0.7)
    for axes, each in zip(grid(figure, rows, columns), analysis.generators, strict=False):
        found = list(dict.fromkeys(finding.name for finding in each.findings))
        note = found[0] + (f" +{len(found) - 1}" if len(found) > 1 else "") if found else "–"
        place(axes, tensor(each.matrix), each.name, block=analysis.patch[0], size=7.5, note=note)
    count = len(analysis.generators)
    caption(
        figure, f"All {count} generators, each on its own scale, with the clearest of their findings. Data: {data}."
    )
    return figure


def _all(figure: "SubFigure", analysis: Analysis, *, effect: bool = False) -> None:
    """All generators, or their effects on the identity, small and without names."""
    count = len(analysis.generators)
    columns = columns_for(count, 1.2)
    figure.suptitle(f"all {count}", fontsize=9, color=SOFT)
    for axes, each in zip(grid(figure, math.ceil(count / columns), columns), analysis.generators, strict=False):
        place(axes, tensor(each.effect_on_identity if effect else each.matrix))
