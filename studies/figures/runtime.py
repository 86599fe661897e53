"""What the penalties cost: figure 8."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from lgn.report.figures.style import BLUE, INK, SOFT, caption, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def runtime(ratios: Mapping[str, float], data: str) -> "Figure":
    """Training time with each penalty (fig. 8), as a multiple of the time without one.

    ratios: {"auxiliary inverse": 1.3, "singular values": 2.0, ...}
    """
    if not ratios:
        raise ValueError("ratios must have at least one penalty, got none")
    figure = new_figure(6.2, 0.5 * len(ratios) + 1.5)
    axes = figure.subplots()
    names = list(ratios)[::-1]
    bars = axes.barh(names, [ratios[name] for name in names], color=BLUE, height=0.6)
    axes.bar_label(bars, fmt=" %.2f×", fontsize=9, color=INK)
    axes.axvline(1, color=SOFT, linewidth=1, linestyle=(0, (4, 3)))
    axes.set_xlim(0, 1.15 * max(1.0, *ratios.values()))
    axes.set_xlabel("training time, without a penalty = 1", fontsize=9, color=SOFT)
    axes.tick_params(labelsize=9, colors=INK, length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    caption(figure, f"The effect of the penalty on training time. Data: {data}.")
    return figure
