"""The test error of networks against the number of training images."""

from collections.abc import Mapping, Sequence
from statistics import mean, stdev
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def test_errors(rows: Sequence[Mapping[str, Any]], methods: Sequence[str]) -> "Figure":
    """A line for each method on rotated MNIST, on logarithmic axes.

    rows: those of results/networks.json on whole images
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.5, 3.6), layout="constrained")
    axes = figure.subplots()
    chosen = [row for row in rows if row["data"] == "rotated-mnist" and not row["augmented"]]
    for method in methods:
        points: dict[int, list[float]] = {}
        for row in (row for row in chosen if row["method"] == method):
            points.setdefault(row["images"], []).append(100 * (1 - row["accuracy"]))
        if points:
            counts = sorted(points)
            spreads = [stdev(points[n]) if len(points[n]) > 1 else 0.0 for n in counts]
            line = "o--" if method == "found" else "o-"
            axes.errorbar(counts, [mean(points[n]) for n in counts], spreads, fmt=line, capsize=3, label=method)
    axes.set(xscale="log", yscale="log", xlabel="training images", ylabel="test error, %")
    axes.set_title("Rotated MNIST, 25,000 parameters")
    counts = sorted({row["images"] for row in chosen})
    axes.set_xticks(counts, [f"{n:,}" for n in counts])
    axes.set_yticks(ticks := [1, 2, 5, 10, 20, 50], [str(tick) for tick in ticks])
    axes.minorticks_off()
    axes.legend()
    return figure
