"""What one setting at a time does between two presets: accuracy, size and smoothness of filters, structures."""

from collections.abc import Callable, Mapping, Sequence
from statistics import geometric_mean, mean
from typing import TYPE_CHECKING, Any

from lgn.report.figures.style import BLUE, INK, ORANGE, SOFT, caption, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Sample = Mapping[str, Any]


PANELS: dict[str, Callable[[Sample], list[float]]] = {
    "test accuracy, %": lambda each: [100 * value for value in each["accuracy"]],
    "norm of filters": lambda each: [max(epochs[-1]["norms"]) for epochs in each["filters"]],
    "norm of generators": lambda each: [epochs[-1]["generator_norm"] for epochs in each["filters"]],
    "smoothness": lambda each: [epochs[-1]["smoothness"] for epochs in each["filters"]],
    "Toeplitz, white nulls": lambda each: each["shares"]["Toeplitz"]["white nulls"],
    "Toeplitz, all nulls": lambda each: each["shares"]["Toeplitz"]["all nulls"],
}
ACCURACY = next(iter(PANELS))


def setting_differences(samples: Sequence[Sample]) -> "Figure":
    """A row for each setting, a panel for each number, a dot for each run; below, how filters grow by epoch.

    samples: each with "data", "name", "runs", "accuracy", "conditions", "filters" and "shares", as
    `recipes/differences.py` measures them.
    """
    if not samples:
        raise ValueError("samples must have at least one sample, got none")
    by_data = {each["data"]: [other for other in samples if other["data"] == each["data"]] for each in samples}
    counts = [len(some) for some in by_data.values()]
    rows, growth = 0.27 * sum(counts) + 0.6 * len(counts) + 0.3, [1.5 + 0.08 * count for count in counts]
    figure = new_figure(1.75 * len(PANELS) + 2.6, rows + sum(growth) + 0.7)
    above, below = figure.subfigures(2, 1, squeeze=False, height_ratios=[rows, sum(growth)])[:, 0]
    lines = above.subplots(len(counts), len(PANELS), squeeze=False, height_ratios=counts)
    for line, (data, some) in zip(lines, by_data.items(), strict=True):
        _numbers(line, lines[0], data, some)
    above.align_ylabels(lines[:, 0])
    bases = list(dict.fromkeys(_base(each) for each in samples))
    settings = list(dict.fromkeys(_setting(each) for each in samples if _setting(each)))
    grown = below.subplots(len(counts), len(bases), squeeze=False, sharex=True, sharey=True, height_ratios=growth)
    for line, (data, some) in zip(grown, by_data.items(), strict=True):
        for axes, base in zip(line, bases, strict=True):
            if of_base := [each for each in some if _base(each) == base]:
                _growth(axes, base, of_base, settings)
                axes.set_title(
                    f"growth of filters, {data}: {base}, and one setting of the other", fontsize=9, color=INK
                )
            else:
                axes.axis("off")
    for axes in grown[-1]:
        axes.set_xlabel("epoch", fontsize=8.5, color=INK)
    caption(
        figure,
        "Blue: paper, and one setting at a time as released has it; orange: the other way. Dots are runs, in brackets "
        "how many, bars their mean. Norms after the last epoch: of the largest layer's bases, and of generators over "
        "that of an orthogonal one. Shares of generators that are Toeplitz. Below, by epoch, the step times the "
        "squared norm of the largest layer's filters, which ISTA wants to be at most 1: geometric means over runs. "
        f"Data: {' and '.join(by_data)}, classification.",
    )
    return figure


def _numbers(line: Sequence["Axes"], first: Sequence["Axes"], data: str, samples: Sequence[Sample]) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter

    for place, (axes, top, (title, values)) in enumerate(zip(line, first, PANELS.items(), strict=True)):
        if axes is not top and title != ACCURACY:
            axes.sharex(top)
        _panel(axes, [values(each) for each in samples], [_colour(each) for each in samples])
        axes.set_yticks(range(len(samples)), [f"{s['name']} ({s['runs']})" for s in samples] if place == 0 else [])
        if axes is top:
            axes.set_title(title, fontsize=9, color=INK)
        if title.startswith("norm"):
            axes.set_xscale("log")
            axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axes.xaxis.set_major_formatter("{x:g}")
            axes.xaxis.set_minor_formatter(NullFormatter())
        if title.startswith("Toeplitz"):
            axes.set_xlim(-0.05, 1.05)
    line[0].set_ylabel(data, fontsize=9.5, weight="bold", color=INK)


def _panel(axes: "Axes", values: Sequence[Sequence[float]], colours: Sequence[str]) -> None:
    for row, (some, colour) in enumerate(zip(values, colours, strict=True)):
        axes.plot(some, [row] * len(some), "o", color=colour, markersize=3.5, alpha=0.6)
        axes.plot([mean(some)] * 2, [row - 0.35, row + 0.35], color=colour, linewidth=1.8)
    axes.set_ylim(len(values) - 0.4, -0.6)
    axes.grid(axis="y", color=SOFT, alpha=0.15)
    axes.tick_params(labelsize=8.5, colors=INK, length=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color("#c9c6be")


def _growth(axes: "Axes", base: str, samples: Sequence[Sample], settings: Sequence[str]) -> None:
    for each in samples:
        means = [geometric_mean(values) for values in zip(*each["conditions"], strict=True)]
        changed = _setting(each)
        colour, width = (f"C{settings.index(changed)}", 1.3) if changed else (INK, 2.4)
        axes.plot(
            range(1, len(means) + 1), means, color=colour, linewidth=width, label=each["name"].removeprefix(f"{base}, ")
        )
    axes.set_yscale("log")
    axes.axhline(1, color=SOFT, linewidth=0.8, linestyle=":")
    axes.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    axes.tick_params(labelsize=8.5, colors=INK)
    axes.spines[["top", "right"]].set_visible(False)


def _base(each: Sample) -> str:
    return str(each["name"]).split(",")[0]


def _setting(each: Sample) -> str:
    return " ".join(str(each["name"]).partition(", ")[2].split()[:-1])


def _colour(each: Sample) -> str:
    return BLUE if _base(each) == "paper" else ORANGE
