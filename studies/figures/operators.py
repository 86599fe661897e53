"""Known operators that were learned from pairs of patches: figures 3, 4 and 5."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from torch import Tensor

from lgn.actions import Patch
from lgn.measures import relative_error
from lgn.report.figures.style import SOFT, caption, grid, new_figure, place
from studies.paper.operators import Setting

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def learned_operators(title: str, label: str, learned: Mapping[Setting, Tensor], patch: Patch, data: str) -> "Figure":
    """What was learned, (d, d) each, above what is exact, with the distance between them (figs. 3 to 5).

    label: of each, such as "r = {0.radius}"
    """
    figure = new_figure(2.1 * len(learned) + 0.5, 5.4)
    axes = grid(figure, 2, len(learned))
    for column, (setting, matrix) in enumerate(learned.items()):
        exact = setting.exact(patch)
        error = relative_error(matrix.double(), exact)
        name, note = label.format(setting), f"learned, {100 * error:.2g} % off"
        place(axes[column], matrix, name, block=patch[0], size=10, note=note)
        place(axes[len(learned) + column], exact, block=patch[0], size=10, note="exact")
    figure.suptitle(title, fontsize=11, color=SOFT)
    caption(figure, f"Learned group actions (top) and exact ones (bottom). Data: {data}.")
    return figure
