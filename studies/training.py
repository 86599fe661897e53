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
from lgn.training.config import differences
from lgn.training.presets import changes_between, nearest_preset
from studies.render import Maker, NotMeasured, Results
from studies.tables import Record, estimate, plus_minus

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
    paths = sorted(results.path.parent.glob("runs/*/config.json"))
    found = [run for path in paths if (run := Run(path.parent)).trained]
    if not found:
        raise NotMeasured("results/runs")
    return found


def with_task(run: Run) -> Config:
    return replace(run.config, task=run.facts.task)


def quality(run: Run) -> str:
    last = run.metrics[-1]
    return f"{100 * last['test_accuracy']:.2f} %" if "test_accuracy" in last else f"{last['test_error']:.3g}"


def runs(task: str, results: Results) -> list[Record]:
    return [
        {
            **run.metrics[-1],
            "name": run.path.name,
            "seed": run.config.seed,
            "quality": quality(run),
            "command": shlex.join(read_json(run.path / "environment.json")["command"]),
            "minutes": run.metrics[-1]["seconds"] / 60,
        }
        for run in finished(results)
        if run.facts.task == task
    ]


def held_out(results: Results) -> Iterator[Record]:
    for run in finished(results):
        if run.config.validation and run.facts.task == "classify":
            plain = replace(run.config, validation=0.0, epochs=preset("paper").epochs)
            changes = changes_between(preset("paper"), plain).items()
            settings = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in changes)
            last = run.metrics[-LAST:]
            train, held = (mean(epoch[f"{part}_accuracy"] for epoch in last) for part in ("train", "validation"))
            means = {"train": train, "held": held, "last": last[-1]["validation_accuracy"]}
            yield {"name": run.path.name, "settings": settings, **means}


@cache
def samples(results: Results) -> list[list[Run]]:
    """Finished runs, those together that differ in their seed alone."""
    found: list[list[Run]] = []
    for run in finished(results):
        like = (one for one in found if not differences(replace(run.config, seed=one[0].config.seed), one[0].config))
        if (sample := next(like, None)) is None:
            found.append(sample := [])
        sample.append(run)
    return found


def described(sample: list[Run]) -> Record:
    """The number of runs, and the mean and the standard deviation over them."""
    last = [run.metrics[-1] for run in sample]
    if "test_accuracy" in last[0]:
        spread = plus_minus([100 * row["test_accuracy"] for row in last]) + " %"
    else:
        spread = "error " + plus_minus([row["test_error"] for row in last], ".3g")
    name = min((run.path.name for run in sample), key=len)
    return {"name": name, "runs": len(sample), "epochs": sample[0].config.epochs, "spread": spread}


def longest(results: Results) -> list[Record]:
    chosen: dict[tuple[str, str, str], list[Run]] = {}
    for sample in samples(results):
        config = with_task(sample[0])
        usual = preset(nearest_preset(config), config.task, data=config.data)
        if not differences(replace(config, epochs=usual.epochs, seed=usual.seed), usual):
            key = (config.data, config.task, nearest_preset(config))
            if key not in chosen or config.epochs > chosen[key][0].config.epochs:
                chosen[key] = sample
    return [
        {"data": TITLES.get(data, data), "task": TASKS[task], "preset": name, **described(sample)}
        for (data, task, name), sample in sorted(chosen.items())
    ]


def pretrained(_: Results) -> Iterator[Record]:
    for name in pretrained_names():
        run = find_run(name)
        last = run.metrics[-1]
        test = ("error ", "")["test_accuracy" in last] + quality(run)
        yield {**last, "name": name, "preset": nearest_preset(run.config), "seed": run.config.seed, "test": test}


def bounded(results: Results) -> Iterator[Record]:
    """Accuracy and the size of filters with `stable`, which bounds filters, next to `paper`."""
    trained = [(run, replace(with_task(run), seed=0)) for run in finished(results)]
    for data in ("mnist", "cifar10"):
        for epochs in (10, 100):
            found = {}
            for title, (name, changes) in BOUNDED.items():
                usual = preset(name, "classify", data=data, epochs=epochs, **changes)
                if same := [run for run, config in trained if not differences(config, usual)]:
                    found[title] = same
            if "`paper`" in found and len(found) > 1:
                yield from ({"data": TITLES[data], "epochs": epochs, **record} for record in _compared(found))


def _compared(found: dict[str, list[Run]]) -> Iterator[Record]:
    points = {name: [100 * run.metrics[-1]["test_accuracy"] for run in same] for name, same in found.items()}
    for name, same in found.items():
        one, paper = points[name], points["`paper`"]
        few = min(len(one), len(paper)) < 2
        gap = estimate(mean(one) - mean(paper), None, None) if few else estimate(*welch_interval(one, paper))
        yield {
            "name": name,
            "runs": len(same),
            "accuracy": plus_minus(one),
            "gap": "" if name == "`paper`" else gap,
            "worst": min(row["test_accuracy"] for run in same for row in run.metrics[len(run.metrics) // 10 :]),
            "size": geometric_mean(max(run.metrics[-1]["step_conditions"]) for run in same),
        }


TABLES: dict[str, Maker] = {
    "bounded": bounded,
    "classify": partial(runs, "classify"),
    "reconstruct": partial(runs, "reconstruct"),
    "held-out": held_out,
    "over-seeds": lambda results: [described(sample) for sample in samples(results) if len(sample) > 1],
    "longest": longest,
    "pretrained": pretrained,
}
