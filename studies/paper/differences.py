"""The settings in which the paper's text and the authors' code differ, changed one at a time."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from statistics import mean
from typing import Any

from lgn.analysis.generator import IDENTIFIABLE
from lgn.training import Config, Run, preset
from lgn.training.evaluation import filter_statistics
from lgn.training.presets import changes_between
from studies.paper.claims.samples import sample
from studies.paper.claims.statement import difference
from studies.paper.claims.structures import found_under, share
from studies.paper.context import TITLES, Context, NotRun
from studies.paper.difference_figure import setting_differences
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
        controls += [{**title, **each} for each in _controls(context, data)]
    if not samples:
        raise NotRun("no finished run of the presets paper and released, nor of what lies between them")
    grey = [each for each in samples if each["data"] == samples[0]["data"]]
    measured = {"samples": samples, "controls": controls, "less preset": less_preset(samples), **likeness(grey)}
    return {"quick": context.quick, **measured}


def less_preset(samples: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What each change does to its preset: differences of means over runs, with Welch's interval."""
    numbers = {(each["data"], each["name"]): _compared(each) for each in samples}
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
    from scipy.stats import spearmanr

    means = [{what: mean(values) for what, values in _compared(each).items()} for each in samples]
    smooth, whole, on_u = ([each[what] for each in means] for what in (SMOOTHNESS, TOEPLITZ, ON_U))
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
        "toeplitz_on_u": [share(found_under(each), "Toeplitz", (IDENTIFIABLE,)) for each in scores],
    }


def _by_epoch(run: Run) -> list[dict[str, Any]]:
    return [row["filters"] for row in run.metrics if "filters" in row] or [filter_statistics(run.model())]
