"""The settings in which the paper's text and the authors' code differ, changed one at a time."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import geometric_mean, mean
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter
from scipy.stats import spearmanr

from lgn.analysis.generator import IDENTIFIABLE
from lgn.report.figures.style import BLUE, INK, ORANGE, SOFT, caption, new_figure
from lgn.training import Config, Run, preset
from lgn.training.evaluation import filter_statistics
from lgn.training.presets import changes_between
from studies.paper.claims.samples import sample
from studies.paper.claims.statement import difference
from studies.paper.claims.structures import found_under, share
from studies.paper.context import TITLES, Context, NotRun
from studies.paper.figures import plain
from studies.paper.runs import FEW, classification, seeds_of
from studies.paper.structures import shares_of
from studies.paper.summaries import scores_of
from studies.truth.controls import FREE, OTHER_INPUTS

GREY, COLOUR, PRESETS = "mnist", "cifar10", ("paper", "released")
#: What is asked on colour: the setting that is none where images are grey, a generator of a channel being that of the
#: set, and the one that does most where they are.
SHARE, ON_COLOUR = "share", ("share", "norm")
SMOOTHNESS, TOEPLITZ, ON_U = "smoothness", "Toeplitz, white nulls", "Toeplitz on U, white nulls"


def run(context: Context) -> list[Path]:
    """The effect of each setting in which the paper's text and the authors' code differ (`differences.json`).

    From `paper` one setting at a time as `released` has it, and the other way: three seeds each on MNIST, 10 epochs; on
    CIFAR-10 norms, and a generator for each channel. Expected: with norms that are kept `paper` looks like `released`
    under white nulls, and no setting gives a structure under all nulls. 46 trainings of four minutes on one core, and
    22 of ten.
    """
    measured = measure(context)
    context.write_json("differences.json", measured)
    return context.save_figure(setting_differences(measured["samples"]), "differences")


def measure(context: Context) -> dict[str, Any]:
    """What was measured of every setting, by run."""
    samples, controls = [], []
    for data in context.distinct(GREY, COLOUR):
        title = {"data": TITLES[context.configured(classification(data)).data]}
        for name, config in changed_configs(data):
            # A change is seen against all seeds of its preset: three of them can be alike by chance.
            count = None if name in PRESETS else FEW
            if runs := context.runs(seeds_of(config, 1 if context.quick else count)):
                samples.append({**title, "name": name, "runs": len(runs), **_measured(context, runs)})
        controls += [{**title, **item} for item in _controls(context, data)]
    if not samples:
        raise NotRun("no finished run of the presets paper and released, nor of what lies between them")
    grey = [item for item in samples if item["data"] == samples[0]["data"]]
    measured = {"samples": samples, "controls": controls, "less preset": less_preset(samples), **likeness(grey)}
    return {"quick": context.quick, **measured}


def less_preset(samples: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What each change does to its preset: differences of means over runs, with Welch's interval."""
    numbers = {(item["data"], item["name"]): _compared(item) for item in samples}
    return [
        {"data": data, "name": name, **{what: asdict(difference(of[what], numbers[base][what])) for what in of}}
        for (data, name), of in numbers.items()
        if (base := (data, name.split(", ")[0])) in numbers and (data, name) != base
    ]


def _compared(sample: dict[str, Any]) -> dict[str, list[float]]:
    return {
        "test accuracy, points": [100 * accuracy for accuracy in sample["accuracy"]],
        SMOOTHNESS: [epochs[-1]["smoothness"] for epochs in sample["filters"]],
        TOEPLITZ: sample["shares"]["Toeplitz"]["white nulls"],
        ON_U: sample["toeplitz_on_u"],
    }


def likeness(samples: list[dict[str, Any]]) -> dict[str, float]:
    """How far the smoothness of filters tells the share of Toeplitz generators under white nulls, setting by setting.

    Spearman's rank correlation of means over runs: the setting is the unit.
    """
    means = [{what: mean(values) for what, values in _compared(item).items()} for item in samples]
    smooth, whole, on_u = ([item[what] for item in means] for what in (SMOOTHNESS, TOEPLITZ, ON_U))
    shares = {"smoothness_and_toeplitz": whole, "smoothness_and_toeplitz_on_u": on_u}
    varied = {name: values for name, values in shares.items() if min(len(set(values)), len(set(smooth))) > 1}
    return {name: float(spearmanr(smooth, values).statistic) for name, values in varied.items()}


def _controls(context: Context, data: str) -> Iterator[dict[str, Any]]:
    for base in PRESETS:
        found = sample(context, classification(data, base), free=base == PRESETS[0])
        for name, scores in found.measured.controls.items() if found.runs else ():
            if name != OTHER_INPUTS:
                words = name if name == FREE else f"{name}, {base}"
                yield {"name": words, "runs": len(scores), "shares": shares_of(scores)["shares"]}


def changed_configs(data: str) -> Iterator[tuple[str, Config]]:
    """Both presets, and each with one setting of the other that is asked on these data: by a name that says it."""
    for base, other in (PRESETS, PRESETS[::-1]):
        yield base, classification(data, base)
        for name, value in changes_between(preset(base), preset(other)).items():
            if name in ON_COLOUR if data == COLOUR else name != SHARE:
                yield f"{base}, {name.replace('_', ' ')} {value}", classification(data, base, **{name: value})


def _measured(context: Context, runs: list[Run]) -> dict[str, Any]:
    scores = [scores_of(context, run) for run in runs]
    return {
        "accuracy": [run.metrics[-1]["test_accuracy"] for run in runs],
        "conditions": [[max(row["step_conditions"]) for row in run.metrics] for run in runs],
        "filters": [_by_epoch(run) for run in runs],
        "shares": shares_of(scores)["shares"],
        # Off U stands the start; on U there is nothing but what filters say.
        "toeplitz_on_u": [share(found_under(item), "Toeplitz", (IDENTIFIABLE,)) for item in scores],
    }


def _by_epoch(run: Run) -> list[dict[str, Any]]:
    return [row["filters"] for row in run.metrics if "filters" in row] or [filter_statistics(run.model())]


Sample = Mapping[str, Any]
PANELS: dict[str, Callable[[Sample], list[float]]] = {
    "test accuracy, %": lambda sample: [100 * value for value in sample["accuracy"]],
    "norm of filters": lambda sample: [max(epochs[-1]["norms"]) for epochs in sample["filters"]],
    "norm of generators": lambda sample: [epochs[-1]["generator_norm"] for epochs in sample["filters"]],
    "smoothness": lambda sample: [epochs[-1]["smoothness"] for epochs in sample["filters"]],
    "Toeplitz, white nulls": lambda sample: sample["shares"]["Toeplitz"]["white nulls"],
    "Toeplitz, all nulls": lambda sample: sample["shares"]["Toeplitz"]["all nulls"],
}


def setting_differences(samples: Sequence[Sample]) -> Figure:
    """A row for each setting, a panel for each number, a dot for each run; below, the growth of filters by epoch."""
    by_data = {sample["data"]: [other for other in samples if other["data"] == sample["data"]] for sample in samples}
    counts = [len(rows) for rows in by_data.values()]
    height, growth = 0.27 * sum(counts) + 0.6 * len(counts) + 0.3, [1.5 + 0.08 * count for count in counts]
    figure = new_figure(1.75 * len(PANELS) + 2.6, height + sum(growth) + 0.7)
    above, below = figure.subfigures(2, 1, squeeze=False, height_ratios=[height, sum(growth)])[:, 0]
    lines = above.subplots(len(counts), len(PANELS), squeeze=False, height_ratios=counts)
    for line, (data, rows) in zip(lines, by_data.items(), strict=True):
        _numbers(line, lines[0], data, rows)
    above.align_ylabels(lines[:, 0])
    bases = list(dict.fromkeys(_base(sample) for sample in samples))
    settings = list(dict.fromkeys(_setting(sample) for sample in samples if _setting(sample)))
    grown = below.subplots(len(counts), len(bases), squeeze=False, sharex=True, sharey=True, height_ratios=growth)
    for line, (data, rows) in zip(grown, by_data.items(), strict=True):
        for axes, base in zip(line, bases, strict=True):
            if of_base := [row for row in rows if _base(row) == base]:
                _growth(axes, base, of_base, settings)
                title = f"growth of filters, {data}: {base}, and one setting of the other"
                axes.set_title(title, fontsize=9, color=INK)
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


def _numbers(line: Sequence[Axes], first: Sequence[Axes], data: str, samples: Sequence[Sample]) -> None:
    for place, (axes, top, (title, values)) in enumerate(zip(line, first, PANELS.items(), strict=True)):
        if axes is not top and place > 0:
            axes.sharex(top)
        for row, entry in enumerate(samples):
            colour, found = BLUE if _base(entry) == "paper" else ORANGE, values(entry)
            axes.plot(found, [row] * len(found), "o", color=colour, markersize=3.5, alpha=0.6)
            axes.plot([mean(found)] * 2, [row - 0.35, row + 0.35], color=colour, linewidth=1.8)
        axes.set_ylim(len(samples) - 0.4, -0.6)
        axes.grid(axis="y", color=SOFT, alpha=0.15)
        plain(axes, title if axes is top else "")
        axes.set_yticks(range(len(samples)), [f"{s['name']} ({s['runs']})" for s in samples] if place == 0 else [])
        if title.startswith("norm"):
            axes.set_xscale("log")
            axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axes.xaxis.set_major_formatter("{x:g}")
            axes.xaxis.set_minor_formatter(NullFormatter())
        if title.startswith("Toeplitz"):
            axes.set_xlim(-0.05, 1.05)
    line[0].set_ylabel(data, fontsize=9.5, weight="bold", color=INK)


def _growth(axes: Axes, base: str, samples: Sequence[Sample], settings: Sequence[str]) -> None:
    for entry in samples:
        means = [geometric_mean(values) for values in zip(*entry["conditions"], strict=True)]
        changed = _setting(entry)
        colour, width = (f"C{settings.index(changed)}", 1.3) if changed else (INK, 2.4)
        label = entry["name"].removeprefix(f"{base}, ")
        axes.plot(range(1, len(means) + 1), means, color=colour, linewidth=width, label=label)
    axes.set_yscale("log")
    axes.axhline(1, color=SOFT, linewidth=0.8, linestyle=":")
    axes.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    axes.tick_params(labelsize=8.5, colors=INK)
    axes.spines[["top", "right"]].set_visible(False)


def _base(sample: Sample) -> str:
    return str(sample["name"]).split(",")[0]


def _setting(sample: Sample) -> str:
    return " ".join(str(sample["name"]).partition(", ")[2].split()[:-1])
