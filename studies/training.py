"""The training runs in results/runs: the tables of docs/evidence/training.md and results/training.md."""

import shlex
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from statistics import geometric_mean, mean

from lgn.files import read_json
from lgn.pretrained import find_run, pretrained_names
from lgn.stats import welch_interval
from lgn.training import Config, Run, preset
from lgn.training.config import same_settings
from lgn.training.presets import changes_between, nearest_preset
from studies.render import NotMeasured, Results
from studies.tables import Record, Table, estimate, plus_minus

TITLES = {"cifar10": "CIFAR-10", "mnist": "MNIST", "digits": "digits (an extract of MNIST)"}
TASKS = {"classify": "classification", "reconstruct": "reconstruction"}
LAST = 4  # epochs: on some thousand images the accuracy of a single epoch is uncertain by a tenth of a point
#: Presets with changed settings that are compared with `paper`.
BOUNDED: dict[str, tuple[str, dict[str, str]]] = {
    "`paper`": ("paper", {}),
    "`stable`, step halved": ("stable", {"schedule": "halved"}),
    "`stable`": ("stable", {}),
}


@cache
def finished(results: Results) -> list[Run]:
    found = [
        run for path in sorted(results.path.parent.glob("runs/*/config.json")) if (run := Run(path.parent)).trained
    ]
    if not found:
        raise NotMeasured("results/runs")
    return found


def with_task(run: Run) -> Config:
    return replace(run.config, task=run.facts.task)


def quality(run: Run) -> str:
    last = run.metrics[-1]
    return f"{100 * last['test_accuracy']:.2f} %" if "test_accuracy" in last else f"{last['test_error']:.3g}"


def runs(task: str, results: Results) -> Table:
    rows = []
    for run in finished(results):
        if run.facts.task == task:
            last = run.metrics[-1]
            command = shlex.join(read_json(run.path / "environment.json")["command"])
            active = [] if task == "classify" else [f"{100 * last['test_active']:.0f} %"]
            minutes = f"{last['seconds'] / 60:.0f}"
            row = [run.path.name, f"`{command}`", str(run.config.seed), str(last["epoch"]), quality(run)]
            rows.append([*row, *active, minutes])
    qualities = ["test accuracy"] if task == "classify" else ["test error", "non-zero codes"]
    return Table(["run", "command", "seed", "epochs", *qualities, "minutes"], rows)


def held_out(results: Results) -> Table:
    """Accuracies of runs that held out a part of the training images to compare settings."""
    rows = []
    for run in finished(results):
        if run.config.validation and run.facts.task == "classify":
            plain = replace(run.config, validation=0.0, epochs=preset("paper").epochs)
            changes = changes_between(preset("paper"), plain).items()
            settings = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in changes)
            accuracies = [
                [100 * epoch[f"{part}_accuracy"] for epoch in run.metrics[-LAST:]] for part in ("train", "validation")
            ]
            means = [f"{mean(some):.2f} %" for some in accuracies]
            rows.append([run.path.name, settings, *means, f"{accuracies[1][-1]:.2f} %"])
    parts = [f"train, last {LAST} epochs", f"held out, last {LAST} epochs", "held out, last epoch"]
    return Table(["run", "`paper` with", *parts], rows)


@cache
def samples(results: Results) -> list[list[Run]]:
    found: list[list[Run]] = []
    for run in finished(results):
        for sample in found:
            if same_settings(replace(run.config, seed=sample[0].config.seed), sample[0].config):
                sample.append(run)
                break
        else:
            found.append([run])
    return found


def spread(sample: list[Run]) -> str:
    last = [run.metrics[-1] for run in sample]
    if "test_accuracy" in last[0]:
        return plus_minus([100 * row["test_accuracy"] for row in last]) + " %"
    return "error " + plus_minus([row["test_error"] for row in last], ".3g")


def over_seeds(results: Results) -> Table:
    rows = [
        [
            min((run.path.name for run in sample), key=len),
            str(len(sample)),
            str(sample[0].config.epochs),
            spread(sample),
        ]
        for sample in samples(results)
        if len(sample) > 1
    ]
    return Table(["runs", "seeds", "epochs", "test, mean and standard deviation"], rows)


def longest(results: Results) -> Table:
    """The longest training with each unchanged preset, on each data set and for each task."""
    chosen: dict[tuple[str, str, str], list[Run]] = {}
    for sample in samples(results):
        config = with_task(sample[0])
        usual = preset(nearest_preset(config), config.task, data=config.data)
        if same_settings(replace(config, epochs=usual.epochs, seed=usual.seed), usual):
            key = (config.data, config.task, nearest_preset(config))
            if key not in chosen or config.epochs > chosen[key][0].config.epochs:
                chosen[key] = sample
    rows = [
        [TITLES.get(data, data), TASKS[task], name, str(sample[0].config.epochs), str(len(sample)), spread(sample)]
        for (data, task, name), sample in sorted(chosen.items())
    ]
    return Table(["data", "task", "preset", "epochs", "runs", "test"], rows)


def pretrained(_: Results) -> Table:
    rows = []
    for name in pretrained_names():
        run = find_run(name)
        last = run.metrics[-1]
        result = ("error ", "")["test_accuracy" in last] + quality(run)
        rows.append([f"`{name}`", nearest_preset(run.config), str(run.config.seed), str(last["epoch"]), result])
    return Table(["name", "preset", "seed", "epochs", "test"], rows)


def bounded(results: Results) -> Table:
    """What bounds filters: accuracy and the size of filters with `stable`, next to `paper`."""
    trained = [(run, replace(with_task(run), seed=0)) for run in finished(results)]
    rows: list[list[str]] = []
    for data in ("mnist", "cifar10"):
        for epochs in (10, 100):
            found = {}
            for title, (name, changes) in BOUNDED.items():
                usual = preset(name, "classify", data=data, epochs=epochs, **changes)
                if same := [run for run, config in trained if same_settings(config, usual)]:
                    found[title] = same
            if "`paper`" in found and len(found) > 1:
                rows += [[TITLES[data], str(epochs), *row] for row in _compared(found)]
    headings = ["data", "epochs", "", "runs", "test accuracy, %", "less `paper`, points", "worst epoch, %"]
    return Table([*headings, "step times squared norm"], rows)


def _compared(found: dict[str, list[Run]]) -> Iterator[list[str]]:
    points = {name: [100 * run.metrics[-1]["test_accuracy"] for run in same] for name, same in found.items()}
    for name, same in found.items():
        last: list[Record] = [run.metrics[-1] for run in same]
        worst = min(row["test_accuracy"] for run in same for row in run.metrics[len(run.metrics) // 10 :])
        size = f"{geometric_mean(max(row['step_conditions']) for row in last):.2g}"
        accuracy = plus_minus(points[name])
        gap = "" if name == "`paper`" else _gap(points[name], points["`paper`"])
        yield [name, str(len(last)), accuracy, gap, f"{100 * worst:.1f}", size]


def _gap(one: list[float], other: list[float]) -> str:
    if min(len(one), len(other)) < 2:
        return estimate(mean(one) - mean(other), None, None)
    return estimate(*welch_interval(one, other))


TABLES = {
    "bounded": bounded,
    "classify": partial(runs, "classify"),
    "reconstruct": partial(runs, "reconstruct"),
    "held-out": held_out,
    "over-seeds": over_seeds,
    "longest": longest,
    "pretrained": pretrained,
}
