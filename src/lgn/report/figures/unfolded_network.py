"""The unfolded architecture of a network: figure 9."""

from typing import TYPE_CHECKING

from lgn.report.contents import Network
from lgn.report.figures.style import BLUE, INK, ORANGE, SOFT, caption, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Deeper networks are drawn with a gap in the middle.
DRAWN_LAYERS = 5
_STEP, _BUS = 4.3, 2.2


def architecture(network: Network) -> "Figure":
    """`z_l = S(z_(l-1) + a W_l^T (x - W_l z_(l-1)))` as boxes and arrows (fig. 9), one column per layer."""
    layers = list(range(1, network.num_layers + 1))
    if len(layers) > DRAWN_LAYERS:
        layers = [*layers[: DRAWN_LAYERS - 2], 0, layers[-1]]
    width = _STEP * len(layers) + 3.6
    figure = new_figure(min(14.0, 0.62 * width), 2.9)
    axes = figure.subplots()
    axes.set_xlim(-1.7, width - 1.2)
    axes.set_ylim(-1.8, 2.5)
    axes.set_aspect("equal")
    axes.set_axis_off()
    _box(axes, -1.4, 0.6, 1.0, 1.0, "$x$", "#eceae4")
    _text(axes, -0.9, 0.25, f"{network.in_channels} channel{'s' if network.in_channels > 1 else ''}")
    # The line above all layers carries the image.
    axes.plot([-0.9, -0.9, _STEP * (len(layers) - 1) + 0.95], [1.6, _BUS, _BUS], color=INK, linewidth=1)
    end = 0.0
    for column, layer in enumerate(layers):
        end = _layer(axes, _STEP * column + 0.3, layer, first=column == 0, momentum=network.algorithm == "fista")
    _arrow(axes, end, -0.9, end + 0.7, -0.9)
    _box(axes, end + 0.7, -1.4, 1.9, 1.0, network.head, "#eceae4", size=7.5)
    n, m = network.patch
    caption(
        figure,
        f"The unfolded network: {network.num_layers} layers of {network.algorithm.upper()}. The bank W of a layer has "
        f"{network.num_sets} sets of {network.order} filters of {n}x{m}, each set the orbit of one basis filter under "
        "its generator. Drawn from the model.",
    )
    return figure


def _layer(axes: "Axes", x: float, layer: int, *, first: bool, momentum: bool) -> float:
    """Draw a layer at x and return the x of its output; layer 0 is the gap."""
    if layer == 0:
        _text(axes, x + 1.6, -0.9, "…", size=16)
        return x + _STEP - 1.0
    if first:
        _arrow(axes, x - 0.7, 1.1, x, 1.1)
    else:
        _arrow(axes, x + 0.65, _BUS, x + 0.65, 1.6)
        _arrow(axes, x - 0.95, -0.9, x - 0.1, -0.9)
        _box(axes, x - 0.1, -1.5, 1.75, 1.2, f"$I-\\alpha W_{{{layer}}}^T W_{{{layer}}}$", "#fbe7cf", size=7.5)
    _box(axes, x, 0.6, 1.3, 1.0, f"$\\alpha W_{{{layer}}}^T$", "#d9e7f6")
    centre = x + 2.15
    axes.plot([x + 1.3, centre], [1.1, 1.1], color=INK, linewidth=1)
    _arrow(axes, centre, 1.1, centre, -0.68)
    if not first:
        _arrow(axes, x + 1.65, -0.9, centre - 0.22, -0.9)
    ring = {"boxstyle": "circle,pad=0.15", "facecolor": "white", "edgecolor": INK, "linewidth": 0.8}
    axes.text(centre, -0.9, "+", ha="center", va="center", fontsize=9, color=INK, bbox=ring)
    _arrow(axes, centre + 0.22, -0.9, x + 2.65, -0.9)
    # The graph of the soft threshold.
    _box(axes, x + 2.65, -1.25, 0.7, 0.7, "", "#eceae4")
    axes.plot([x + 2.7, x + 3.3], [-1.03, -1.03], color=SOFT, linewidth=0.5)
    axes.plot([x + 2.71, x + 3.01, x + 3.27], [-1.03, -1.03, -0.65], color=ORANGE, linewidth=1.8)
    _text(axes, x + 3.0, -0.2, f"$z^{{({layer})}}$" + (" + momentum" if momentum and not first else ""), size=8)
    return x + 3.35


def _box(axes: "Axes", x: float, y: float, width: float, height: float, text: str, face: str, size: float = 9) -> None:
    from matplotlib.patches import FancyBboxPatch

    style = "round,pad=0,rounding_size=0.12"
    axes.add_patch(FancyBboxPatch((x, y), width, height, boxstyle=style, facecolor=face, edgecolor=BLUE, linewidth=0.8))
    axes.text(x + width / 2, y + height / 2, text, ha="center", va="center", fontsize=size, color=INK)


def _arrow(axes: "Axes", x0: float, y0: float, x1: float, y1: float) -> None:
    style = {"arrowstyle": "-|>", "color": INK, "linewidth": 1, "shrinkA": 0, "shrinkB": 0, "mutation_scale": 8}
    axes.annotate("", (x1, y1), (x0, y0), arrowprops=style)


def _text(axes: "Axes", x: float, y: float, text: str, size: float = 8) -> None:
    axes.text(x, y, text, ha="center", va="center", fontsize=size, color=SOFT)
