"""Which structures are there: shares of generators under nulls with and without smoothness."""

from collections.abc import Mapping, Sequence
from statistics import mean
from typing import TYPE_CHECKING, Any

from lgn.report.figures.style import BLUE, INK, ORANGE, SOFT, caption, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def structure_shares(samples: Sequence[Mapping[str, Any]], structures: Sequence[str], ways: Sequence[str]) -> "Figure":
    """A panel for each structure and data set, a row for each sample: the mean share, asked in one way and in another.

    samples: each with "data", "name", "runs" and "shares": {structure: {way: a share for each run}}; what was not asked
    of a sample is left out, and stays blank.
    """
    if not samples:
        raise ValueError("samples must have at least one sample, got none")
    by_data: dict[str, list[Mapping[str, Any]]] = {}
    for each in samples:
        by_data.setdefault(each["data"], []).append(each)
    most = max(map(len, by_data.values()))
    figure = new_figure(1.5 * len(structures) + 2.3, (0.26 * most + 0.3) * len(by_data) + 1.2)
    grid = figure.subplots(len(by_data), len(structures), squeeze=False, sharex=True)
    for number, (line, (data, some)) in enumerate(zip(grid, by_data.items(), strict=True)):
        for place, (axes, structure) in enumerate(zip(line, structures, strict=True)):
            _panel(axes, some, structure, ways)
            axes.set_yticks(range(len(some)), [_label(each) for each in some] if place == 0 else [""] * len(some))
            axes.set_title("" if number else structure, fontsize=9, color=INK)
        line[0].set_ylabel(data, fontsize=9.5, color=INK, fontweight="bold")
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=2, fontsize=9, frameon=False)
    caption(
        figure,
        "The share of generators with a structure, whole or on what the data can say; means over runs, in brackets how "
        "many, thin lines from the lowest to the highest. Dashed: 0.05, the share of findings that may be false. "
        "Planted: where the structure is there, in the matrix or in the filters alone. Data: "
        f"{' and '.join(by_data)}, classification.",
    )
    return figure


def _panel(axes: "Axes", samples: Sequence[Mapping[str, Any]], structure: str, ways: Sequence[str]) -> None:
    for way, colour, shift in zip(ways, (ORANGE, BLUE), (-0.16, 0.16), strict=True):
        asked = {row: each["shares"].get(structure, {}).get(way) for row, each in enumerate(samples)}
        rows = [row + shift for row, some in asked.items() if some]
        values = [some for some in asked.values() if some]
        axes.hlines(rows, [min(v) for v in values], [max(v) for v in values], color=colour, linewidth=0.8, alpha=0.6)
        axes.barh(rows, [mean(v) for v in values], height=0.3, color=colour, alpha=0.75, label=way)
    axes.set_ylim(len(samples) - 0.4, -0.6)
    axes.set_xlim(0, 1.02)
    axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
    axes.axvline(0.05, color=SOFT, linewidth=0.6, linestyle=(0, (3, 3)))  # what may be false
    axes.tick_params(labelsize=8.5, colors=INK, length=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color("#c9c6be")


def _label(each: Mapping[str, Any]) -> str:
    return f"{each['name'].replace('`', '')} ({each['runs']})"
