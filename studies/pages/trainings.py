"""Trainings that are finished: all of them, the longest of each preset, and the networks that come with the package."""

import shlex
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Any

from lgn.files import read_json
from lgn.pretrained import find_run, pretrained_names
from lgn.text import markdown_table
from lgn.training import Run, preset
from lgn.training.config import same_settings
from lgn.training.presets import changes_between, nearest_preset
from studies.paper.context import TITLES
from studies.tables import plus_minus

HEADS = {
    "classify": ("## Classification", ("test accuracy",)),
    "reconstruct": (
        "## Reconstruction (mean squared error per prepared pixel)",
        ("test error", "non-zero codes"),
    ),
}

# On some thousand images an accuracy is uncertain by a tenth of a point; a mean over epochs is a little less so.
LAST = 4


def finished(results: Path) -> list[Run]:
    return [run for path in sorted(results.glob("runs/*/config.json")) if (run := Run(path.parent)).trained]


def trainings(results: Path) -> str:
    """Every training that is finished, by task."""
    texts = []
    for task, (title, qualities) in HEADS.items():
        runs = [run for run in finished(results) if run.facts.task == task]
        if not runs:
            continue
        rows = []
        for run in runs:
            last = run.metrics[-1]
            command = f"`{shlex.join(read_json(run.path / 'environment.json')['command'])}`"
            minutes = f"{last['seconds'] / 60:.0f}"
            rows.append([run.path.name, command, str(run.config.seed), str(last["epoch"]), *_quality(last), minutes])
        heads = ["run", "command", "seed", "epochs", *qualities, "minutes"]
        texts.append(f"{title}\n\n{markdown_table(heads, rows)}")
    return "\n\n".join([*texts, *_held_out(results), *_over_seeds(results)])


def _held_out(results: Path) -> list[str]:
    """What runs that held images out say of the settings that they tried; the last epochs show how sure that is."""
    rows = []
    for run in finished(results):
        if run.config.validation and run.facts.task == "classify":
            settings = changes_between(
                preset("paper"), replace(run.config, validation=0.0, epochs=preset("paper").epochs)
            )
            words = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in settings.items())
            shares = [
                [100 * row[key] for row in run.metrics[-LAST:]] for key in ("train_accuracy", "validation_accuracy")
            ]
            last = f"{shares[1][-1]:.2f} %"
            rows.append([run.path.name, words, *(f"{mean(each):.2f} %" for each in shares), last])
    if not rows:
        return []
    heads = [
        "run",
        "`paper` with",
        f"train, last {LAST} epochs",
        f"held out, last {LAST} epochs",
        "held out, last epoch",
    ]
    return [f"## What was tried on images that were held out\n\n{markdown_table(heads, rows)}"]


def _samples(results: Path) -> list[list[Run]]:
    """Finished runs that differ in their seed alone, together."""
    samples: list[list[Run]] = []
    for run in finished(results):
        for sample in samples:
            if same_settings(replace(run.config, seed=sample[0].config.seed), sample[0].config):
                sample.append(run)
                break
        else:
            samples.append([run])
    return samples


def _over_seeds(results: Path) -> list[str]:
    """Mean and standard deviation where there are seeds to have them of."""
    rows = []
    for sample in _samples(results):
        if len(sample) > 1:
            name = min((run.path.name for run in sample), key=len)
            rows.append([name, str(len(sample)), str(sample[0].config.epochs), _mean_and_spread(sample)])
    if not rows:
        return []
    heads = ["runs", "seeds", "epochs", "test, mean and standard deviation"]
    return [f"## Over seeds\n\n{markdown_table(heads, rows)}"]


def _mean_and_spread(sample: list[Run]) -> str:
    last = [run.metrics[-1] for run in sample]
    if "test_accuracy" in last[0]:
        return f"{plus_minus([100 * each['test_accuracy'] for each in last])} %"
    return f"error {plus_minus([each['test_error'] for each in last], '.3g')}"


def _quality(last: dict[str, Any]) -> list[str]:
    if "test_accuracy" in last:
        return [f"{100 * last['test_accuracy']:.2f} %"]
    return [f"{last['test_error']:.3g}", f"{100 * last['test_active']:.0f} %"]


def longest(results: Path) -> str:
    """Of each preset, as it is, on each data set and for each task: the longest training, over its seeds."""
    chosen: dict[tuple[str, ...], list[Run]] = {}
    for sample in _samples(results):
        config, task = sample[0].config, sample[0].facts.task
        usual = preset(nearest_preset(config), task, data=config.data)
        if not same_settings(replace(config, task=task, epochs=usual.epochs, seed=usual.seed), usual):
            continue
        key = (config.data, task, nearest_preset(config))
        if key not in chosen or config.epochs > chosen[key][0].config.epochs:
            chosen[key] = sample
    if not chosen:
        return "No training of a preset is finished yet."
    rows = []
    for (data, kind, name), sample in sorted(chosen.items()):
        words = "classification" if kind == "classify" else "reconstruction"
        epochs = str(sample[0].config.epochs)
        rows.append([TITLES.get(data, data), words, name, epochs, str(len(sample)), _mean_and_spread(sample)])
    heads = ["data", "task", "preset", "epochs", "runs", "test"]
    note = "The last epoch, mean and standard deviation over seeds; all runs, with their commands, are in"
    return f"{markdown_table(heads, rows)}\n\n{note} [results/training.md](results/training.md)."


def networks(_: Path) -> str:
    """The networks that come with the package."""
    rows = []
    for name in pretrained_names():
        run = find_run(name)
        last = run.metrics[-1]
        result = ("error ", "")["test_accuracy" in last] + _quality(last)[0]
        rows.append([f"`{name}`", nearest_preset(run.config), str(run.config.seed), str(last["epoch"]), result])
    return markdown_table(["name", "preset", "seed", "epochs", "test"], rows)
