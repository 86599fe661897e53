"""docs/reproduction.md: the verdicts, what each setting between text and code does, and what bounds the filters."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from lgn.files import read_json
from lgn.text import markdown_table
from lgn.training import Run, preset
from lgn.training.config import same_settings
from studies.pages.structures import white_and_all
from studies.pages.trainings import finished
from studies.paper.claims.statement import difference
from studies.paper.context import TITLES
from studies.tables import plus_minus


def verdicts(results: Path) -> str:
    """The verdict on each claim."""
    path = results / "claims.json"
    if not path.is_file():
        return "## Verdicts\n\nNo claim has been measured on the full data yet."
    rows = [
        [str(each["number"]), each["claim"], f"**{each['verdict']}**", each["released"] or ""]
        for each in read_json(path)["claims"]
    ]
    words = "Numbers, intervals and what each was measured on are in [results/claims.md](../results/claims.md)."
    table = markdown_table(["", "claim", "`paper`", "`released`"], rows)
    return "\n\n".join(["## Verdicts", words, table, *differences(results), *stability(results)])


def differences(results: Path) -> list[str]:
    """What one setting at a time does between the presets, where it was measured."""
    path = results / "differences.json"
    if not path.is_file():
        return []
    measured = read_json(path)
    rows = []
    for each in measured["samples"]:
        last = [epochs[-1] for epochs in each["filters"]]
        rows.append(
            [
                *_setting(each),
                plus_minus([100 * value for value in each["accuracy"]]),
                f"{geometric_mean(epochs[-1] for epochs in each['conditions']):.2g}",
                plus_minus([max(facts["norms"]) for facts in last], ".3g"),
                plus_minus([facts["generator_norm"] for facts in last], ".3g"),
                plus_minus([facts["smoothness"] for facts in last]),
                plus_minus(each["toeplitz_on_u"]),
            ]
        )
    setting = ["data", "", "runs"]
    heads = [*setting, "test accuracy, %", "step times squared norm", "norm of bases", "of generators", "smoothness"]
    heads.append("Toeplitz on U, white nulls")
    words = (
        "10 epochs, means over seeds with the standard deviation: each preset, and with one setting of the other; on "
        "CIFAR-10 norms again, and who has a generator (`share`), which is no question on grey images. "
        "*Step times squared norm* is that of the largest layer, `step * sigma_max(W^T W)`, which ISTA wants to "
        "be at most 1 (geometric mean); norms are those after the last epoch, of bases in the layer with the largest."
    )
    names = list(measured["samples"][0]["shares"])
    shares = [
        [*_setting(each), *(white_and_all(each["shares"][name]) for name in names)]
        for each in (*measured["samples"], *measured["controls"])
    ]
    shown = (
        "Shares of generators with each structure, under white nulls → under all; last, the filters of both presets "
        "without their pairing, and free networks:"
    )
    grey = sum(row[0] == rows[0][0] for row in rows)
    whole, on_u = (measured[f"smoothness_and_toeplitz{ending}"] for ending in ("", "_on_u"))
    smooth = (
        f"The smoother the filters, the more generators are Toeplitz under white nulls: over the {grey} settings of "
        f"{rows[0][0]} Spearman's rank correlation is {whole:.2f}, and {on_u:.2f} on U alone, where the matrix has "
        "nothing but what its filters say."
    )
    figure = "![What each setting does](../results/figures/differences.png)"
    return [
        "## Which difference does it?",
        figure,
        words,
        markdown_table(heads, rows),
        *_less_preset(measured["less preset"]),
        smooth,
        shown,
        markdown_table([*setting, *names], shares),
    ]


def _setting(sample: dict[str, Any]) -> list[str]:
    return [sample["data"], sample["name"], str(sample["runs"])]


def _less_preset(changes: list[dict[str, Any]]) -> list[str]:
    """What each change does to its preset, and how many intervals exclude zero by chance."""
    if not changes:
        return []
    names = [name for name in changes[0] if name not in ("data", "name")]
    rows = [[each["data"], each["name"], *(_interval(each[name]) for name in names)] for each in changes]
    count = len(rows) * len(names)
    words = (
        f"Each change less its preset, with Welch's interval at 95 %: of {count} such intervals some "
        f"{0.05 * count:.0f} leave zero out by chance."
    )
    return [words, markdown_table(["data", "", *names], rows)]


def _interval(found: dict[str, float | None]) -> str:
    bounds = "" if found["low"] is None else f" [{found['low']:.2f}, {found['high']:.2f}]"
    return f"{found['mean']:+.2f}{bounds}"


# What is compared, in words: a preset and what is changed of it.
BOUNDED: dict[str, tuple[str, dict[str, str]]] = {
    "`paper`": ("paper", {}),
    "`stable`, step halved": ("stable", {"schedule": "halved"}),
    "`stable`": ("stable", {}),
}


def stability(results: Path) -> list[str]:
    """What bounds filters, beside `paper`: how well each classifies, and how large filters get."""
    trained = [(run, replace(run.config, task=run.facts.task, seed=0)) for run in finished(results)]
    rows = []
    for data in ("mnist", "cifar10"):
        for epochs in (10, 100):
            beside = {
                words: preset(name, "classify", data=data, epochs=epochs, **changes)
                for words, (name, changes) in BOUNDED.items()
            }
            found = {
                words: [run for run, config in trained if same_settings(config, usual)]
                for words, usual in beside.items()
            }
            found = {words: runs for words, runs in found.items() if runs}
            if "`paper`" in found and len(found) > 1:
                rows += [[TITLES[data], str(epochs), *row] for row in _beside_paper(found)]
    if not rows:
        return []
    words = (
        "`stable` is `paper` with three settings of ours ([the presets](training.md#presets)), chosen on a tenth of "
        "the training images of MNIST; *step halved* has two of them, and the step of `paper`. The largest layer's "
        "`step * sigma_max(W^T W)` says how large filters get (geometric mean); ISTA wants it to be at most 1. *Worst "
        "epoch*: the lowest test accuracy after any epoch of any run, without the first tenth of each, in which the "
        "step of `stable` is still small. "
        "Differences have Welch's interval at 95 % where both have two runs."
    )
    heads = ["data", "epochs", "", "runs", "test accuracy, %", "less `paper`, points", "worst epoch, %"]
    heads.append("step times squared norm")
    return ["## What bounds the filters?", words, markdown_table(heads, rows)]


def _beside_paper(found: dict[str, list[Run]]) -> Iterator[list[str]]:
    """A row for each preset after its last epoch: accuracy, how far it is from that of `paper`, size of filters."""
    points = {name: [100 * run.metrics[-1]["test_accuracy"] for run in runs] for name, runs in found.items()}
    for name, runs in found.items():
        gap = "" if name == "`paper`" else _interval(asdict(difference(points[name], points["`paper`"])))
        size = geometric_mean(max(run.metrics[-1]["step_conditions"]) for run in runs)
        worst = 100 * min(row["test_accuracy"] for run in runs for row in run.metrics[len(run.metrics) // 10 :])
        yield [name, str(len(runs)), plus_minus(points[name]), gap, f"{worst:.1f}", f"{size:.2g}"]
