"""The settings in which the paper's text and the authors' code differ, changed one at a time."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import mean
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter
from scipy.stats import spearmanr

from lgn.analysis.generator import IDENTIFIABLE
from lgn.report.figures.style import BLUE, ORANGE, SOFT, caption, new_figure
from lgn.training import Config, Run, preset
from lgn.training.evaluation import filter_statistics
from lgn.training.presets import changes_between
from studies.paper.claims.samples import sample
from studies.paper.claims.statement import difference
from studies.paper.claims.structures import found_under, share
from studies.paper.context import Context, NotRun
from studies.paper.figures import Sample, panels
from studies.paper.runs import FEW, classification, seeds_of
from studies.paper.structures import shares_of
from studies.paper.summaries import scores_of
from studies.training import TITLES
from studies.truth.controls import FREE, OTHER_INPUTS

GREY, COLOUR, PRESETS = "mnist", "cifar10", ("paper", "released")
#: The settings that are changed on colour images; `share` has no effect on grey ones.
SHARE, ON_COLOUR = "share", ("share", "norm")
SMOOTHNESS, TOEPLITZ, ON_U = "smoothness", "Toeplitz, white nulls", "Toeplitz on U, white nulls"


def run(context: Context) -> list[Path]:
    """The effect of each setting in which the paper's text and the authors' code differ (`differences.json`).

    Trains `paper` with one setting of `released`, and the reverse, for 10 epochs with three seeds. Expected: with kept
    norms `paper` looks like `released` under white nulls, and no setting gives a structure under all nulls. 46
    trainings of four minutes on one core, and 22 of ten.
    """
    measured = measure(context)
    context.write_json("differences.json", measured)
    return context.save_figure(setting_differences(measured["samples"]), "differences")


def measure(context: Context) -> dict[str, Any]:
    """The measurements of every setting, by run."""
    samples, controls = [], []
    for data in context.distinct(GREY, COLOUR):
        title = {"data": TITLES[context.configured(classification(data)).data]}
        for name, config in changed_configs(data):
            count = None if name in PRESETS else FEW
            if runs := context.runs(seeds_of(config, 1 if context.quick else count)):
                samples.append({**title, "name": name, "runs": len(runs), **_measured(context, runs)})
        controls += [{**title, **item} for item in _controls(context, data)]
    if not samples:
        raise NotRun("no finished run of the presets paper and released, or with one changed setting")
    grey = [item for item in samples if item["data"] == samples[0]["data"]]
    measured = {"samples": samples, "controls": controls, "less preset": less_preset(samples), **likeness(grey)}
    return {"quick": context.quick, **measured}


def less_preset(samples: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each change less its preset: differences of means over runs, with Welch's interval."""
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
    """Spearman's rank correlation, over settings, of smoothness and the share of Toeplitz generators."""
    numbers = [_compared(item) for item in samples]
    smooth, whole, on_u = ([mean(item[what]) for item in numbers] for what in (SMOOTHNESS, TOEPLITZ, ON_U))
    shares = {"smoothness_and_toeplitz": whole, "smoothness_and_toeplitz_on_u": on_u}
    varied = {name: values for name, values in shares.items() if min(len(set(values)), len(set(smooth))) > 1}
    return {name: float(spearmanr(smooth, values).statistic) for name, values in varied.items()}


def _controls(context: Context, data: str) -> Iterator[dict[str, Any]]:
    for base in PRESETS:
        found = sample(context, classification(data, base), free=base == PRESETS[0])
        for name, scores in found.measured.controls.items() if found.runs else ():
            if name != OTHER_INPUTS:
                title = name if name == FREE else f"{name}, {base}"
                yield {"name": title, "runs": len(scores), "shares": shares_of(scores)["shares"]}


def changed_configs(data: str) -> Iterator[tuple[str, Config]]:
    """Both presets, and each preset with one setting of the other, by name."""
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
        "filters": [
            [row["filters"] for row in run.metrics if "filters" in row] or [filter_statistics(run.model())]
            for run in runs
        ],
        "shares": shares_of(scores)["shares"],
        # Off U, generators are like their start.
        "toeplitz_on_u": [share(found_under(item), "Toeplitz", (IDENTIFIABLE,)) for item in scores],
    }


PANELS: dict[str, Callable[[Sample], list[float]]] = {
    "test accuracy, %": lambda sample: [100 * value for value in sample["accuracy"]],
    "norm of filters": lambda sample: [max(epochs[-1]["norms"]) for epochs in sample["filters"]],
    "norm of generators": lambda sample: [epochs[-1]["generator_norm"] for epochs in sample["filters"]],
    "smoothness": lambda sample: [epochs[-1]["smoothness"] for epochs in sample["filters"]],
    "Toeplitz, white nulls": lambda sample: sample["shares"]["Toeplitz"]["white nulls"],
    "Toeplitz, all nulls": lambda sample: sample["shares"]["Toeplitz"]["all nulls"],
}


def setting_differences(samples: Sequence[Sample]) -> Figure:
    """A row for each setting, a panel for each number, a dot for each run."""
    data = list(dict.fromkeys(sample["data"] for sample in samples))
    figure = new_figure(1.75 * len(PANELS) + 2.6, 0.27 * len(samples) + 0.6 * len(data) + 0.7)
    first: dict[str, Axes] = {}
    for axes, title, rows in panels(figure, samples, list(PANELS)):
        if title in first and not title.startswith("test accuracy"):
            axes.sharex(first[title])
        first.setdefault(title, axes)
        _dots(axes, title, rows)
    caption(
        figure,
        "Blue: the preset paper, and paper with one setting of released. Orange: released, and released with one "
        "setting of paper. Dots are runs (their number is in brackets) and bars are means. Norms: of the bases of the "
        "largest layer, and of generators relative to an orthogonal matrix. Toeplitz: shares of generators. "
        f"Data: {' and '.join(data)}, classification.",
    )
    return figure


def _dots(axes: Axes, title: str, samples: Sequence[Sample]) -> None:
    for row, entry in enumerate(samples):
        colour, values = BLUE if entry["name"].startswith("paper") else ORANGE, PANELS[title](entry)
        axes.plot(values, [row] * len(values), "o", color=colour, markersize=3.5, alpha=0.6)
        axes.plot([mean(values)] * 2, [row - 0.35, row + 0.35], color=colour, linewidth=1.8)
    axes.grid(axis="y", color=SOFT, alpha=0.15)
    if title.startswith("norm"):
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter(NullFormatter())
    if title.startswith("Toeplitz"):
        axes.set_xlim(-0.05, 1.05)
