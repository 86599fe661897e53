"""The milliseconds of a training step by each way to make it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLES = {"mnist": "MNIST", "cifar10": "CIFAR-10"}


def step_times(measured: Mapping[str, Any]) -> "Figure":
    """Bars for both shapes, with the time of the products of direct convolution as a line.

    measured: the content of results/speed.json
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 2.6), layout="constrained")
    axes = figure.subplots(1, len(measured["shapes"]))
    for axis, (name, shape) in zip(axes, measured["shapes"].items(), strict=True):
        ways = ["straightforward", *shape["ratio_to_straightforward"]]
        times = [shape["milliseconds"][way] for way in ways]
        bars = axis.barh(ways, times, color=["#b0b0b0", *["#4477aa"] * (len(ways) - 1)])
        axis.bar_label(bars, fmt="%.0f ms", padding=3)
        axis.axvline(shape["floor_milliseconds"], color="#ee7733", linestyle="--")
        axis.text(shape["floor_milliseconds"], -0.45, " floor", color="#ee7733", va="bottom", fontsize=8)
        axis.set(title=TITLES[name], xlabel="milliseconds a step", xlim=(0, 1.25 * max(times)))
        axis.invert_yaxis()
        axis.spines[["top", "right"]].set_visible(False)
    return figure
