"""What inspected networks have: gaps beside what twins need, and balance beside what smooth operators show."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lgn.report.figures.style import BLUE, INK, ORANGE, SOFT, caption, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def inspected_networks(networks: Sequence[Mapping[str, Any]], needed: float) -> "Figure":
    """A row for each network, a dot for each turn, flip and transposition of its first layer.

    networks: each with "name" and "layers", as in `results/inspect.json`. needed: the gap that twins need.
    """
    if not networks:
        raise ValueError("networks must have at least one network, got none")
    figure = new_figure(8.6, 0.3 * len(networks) + 1.5)
    gaps, balances = figure.subplots(1, 2, sharey=True)
    for line, network in enumerate(networks):
        rows = [row for row in network["layers"][0]["rows"] if row["kind"] == "place" and row["name"] != "turn 270"]
        gaps.plot([row["gap"] for row in rows], [line] * len(rows), "o", color=BLUE, alpha=0.65, markersize=5)
        balances.plot([row["rho"] for row in rows], [line] * len(rows), "o", color=BLUE, alpha=0.65, markersize=5)
        references = sorted({row["smooth_reference"] for row in rows})
        balances.plot(references, [line] * len(references), "|", color=ORANGE, markersize=11, markeredgewidth=2)
    gaps.axvline(needed, color=SOFT, linewidth=0.8, linestyle=(0, (3, 3)))
    balances.axvline(1, color=SOFT, linewidth=0.8, linestyle=(0, (3, 3)))
    _axes(gaps, f"gap in nats; twins need {needed:g}")
    _axes(balances, "rho; orange: operators as smooth")
    gaps.set_yticks(range(len(networks)), [str(each["name"]) for each in networks])
    gaps.invert_yaxis()
    caption(
        figure,
        "First layers. Each dot is a turn, flip or transposition. Left: how much nearer the nearest filter is to a "
        "copy, beyond its rank. Right: how far the second moment of filters is from its image; 1 by chance.",
    )
    return figure


def _axes(axes: "Axes", title: str) -> None:
    axes.set_title(title, fontsize=9, color=INK)
    axes.tick_params(labelsize=8.5, colors=INK, length=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color("#c9c6be")
