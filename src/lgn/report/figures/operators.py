"""Known operators that were learned from pairs of patches: figures 3, 4 and 5."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from torch import Tensor

from lgn.algebra import Patch
from lgn.measures import relative_error
from lgn.operators import operator
from lgn.report.figures.style import SOFT, caption, grid, new_figure, place

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def pooling(learned: Mapping[int, Tensor], patch: Patch, data: str) -> "Figure":
    """Average pooling by radius (fig. 3).  learned: radius -> (d, d)"""
    exact = {f"r = {radius}": operator("pooling", patch, radius=radius) for radius in learned}
    return _rows("Average pooling", dict(zip(exact, learned.values(), strict=True)), exact, patch, data)


def rotations(learned: Mapping[float, Tensor], patch: Patch, data: str, **options: Any) -> "Figure":
    """Rotations by angle (fig. 4).  learned: degrees -> (d, d); options are those of the operator "rotation"."""
    exact = {f"{angle:g}°": operator("rotation", patch, degrees=angle, **options) for angle in learned}
    return _rows("Rotation", dict(zip(exact, learned.values(), strict=True)), exact, patch, data)


def compositions(
    learned: Mapping[int, Tensor], patch: Patch, data: str, degrees: float = 60.0, **options: Any
) -> "Figure":
    """Rotation after pooling, by radius (fig. 5).  learned: radius -> (d, d)"""
    exact = {
        f"r = {radius}": operator("pooling then rotation", patch, radius=radius, degrees=degrees, **options)
        for radius in learned
    }
    title = f"Pooling, then rotation by {degrees:g}°"
    return _rows(title, dict(zip(exact, learned.values(), strict=True)), exact, patch, data)


def _rows(title: str, learned: dict[str, Tensor], exact: dict[str, Tensor], patch: Patch, data: str) -> "Figure":
    """What was learned above what is exact, with the distance between them."""
    figure = new_figure(2.1 * len(learned) + 0.5, 5.4)
    axes = grid(figure, 2, len(learned))
    for column, (name, matrix) in enumerate(learned.items()):
        error = relative_error(matrix.double(), exact[name])
        place(axes[column], matrix, name, block=patch[0], size=10, note=f"learned, {100 * error:.2g} % off")
        place(axes[len(learned) + column], exact[name], block=patch[0], size=10, note="exact")
    figure.suptitle(title, fontsize=11, color=SOFT)
    caption(figure, f"Learned group actions (top) and exact ones (bottom). Data: {data}.")
    return figure
