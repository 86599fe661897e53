"""The Cayley graph of a group as a figure."""

from typing import TYPE_CHECKING

from lgn.groups import Group
from lgn.report.cayley_layout import cayley
from lgn.report.figures.style import caption, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = ("#c2571a", "#1f5fa8", "#3c7d3c", "#7a4b94")


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
            style = {
                "arrowstyle": "-" if involution else "-|>",
                "color": colour,
                "shrinkA": 13,
                "shrinkB": 13,
                "lw": 1.4,
            }
            axes.annotate("", drawn.places[h], drawn.places[g], arrowprops=style)
        axes.plot([], [], color=colour, label=name)
    for (x, y), word in zip(drawn.places, drawn.words, strict=True):
        axes.text(x, y, word, ha="center", va="center", size=9, bbox={"boxstyle": "round", "fc": "white", "ec": "0.6"})
    axes.set_xlim(-1.3, 1.3)
    axes.set_ylim(-1.3, 1.3)
    axes.legend(loc="upper right", frameon=False)
    caption(figure, f"The group {drawn.name}: {', '.join(drawn.relations)}; an arrow leads from g to a g.")
    return figure
