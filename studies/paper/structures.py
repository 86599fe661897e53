"""Structures of generators, under nulls with and without smoothness, and in controls."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from studies.paper.claims.samples import Sample, sample
from studies.paper.claims.structures import OPERATOR, WHITE, Found, found, found_under, share, share_undecided
from studies.paper.context import TITLES, Context, NotRun
from studies.paper.excerpt import Scores
from studies.paper.figures import structure_shares
from studies.paper.runs import classification, with_equal_filters
from studies.paper.summaries import over_runs
from studies.truth.controls import FREE, OTHER_INPUTS, REPAIRED, THROUGH_FILTERS, WHOLE

SHOWN = ("skew-symmetric", "Toeplitz", "block-Toeplitz", "multi-scale", "concentrated blocks", OPERATOR)
DATA, PRESETS = ("cifar10", "mnist"), ("paper", "released")
#: What was asked: nulls without smoothness, or all of them, those that keep it among them.
UNDER: dict[str, Callable[[Scores], Found]] = {"white nulls": found_under, "all nulls": found}


def run(context: Context) -> list[Path]:
    """Shares of generators with each structure, in presets, controls and planted structures (`structures.json`).

    Uses the short runs of the claims, free networks, re-paired filters, and runs with a given rotation. Expected: many
    structures under white nulls, in free networks too; under nulls that keep the smoothness of filters few, and the
    rotation. Half an hour once the runs are finished.
    """
    measured = measure(context)
    context.write_json("structures.json", measured)
    rows = [*measured["samples"], *_planted_rows(measured["planted"])]
    return context.save_figure(structure_shares(rows, SHOWN, list(UNDER)), "structures")


def _planted_rows(planted: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for item in planted:
        for way, words in {WHOLE: "in matrices", THROUGH_FILTERS: "in filters"}.items():
            found = [by_way[way] for by_way in item["shares"]]
            shares = {name: {"all nulls": [run[name] for run in found]} for name in found[0]}
            yield {**item, "name": f"planted {words}, {item['name']}", "runs": len(found), "shares": shares}


def measure(context: Context) -> dict[str, Any]:
    """The share of generators with each structure, by run: of the presets, their controls, and a given rotation.

    Beside it the share in which a planted structure is found, and how alike the filters of a set are.
    """
    samples: list[dict[str, Any]] = []
    planted: list[dict[str, Any]] = []
    repeated: list[dict[str, Any]] = []
    nulls: set[str] = set()
    for data in context.distinct(*DATA):
        title = TITLES[context.configured(classification(data)).data]
        presets = {f"`{name}`": sample(context, classification(data, name), free=True) for name in PRESETS}
        for name, runs in _samples(context, data, *presets.values()).items():
            if runs:
                samples.append({"data": title, "name": name, "runs": len(runs), **shares_of(runs)})
                nulls |= {null for item in runs for null in _nulls(item)}
        for name, of in presets.items():
            if of.runs and of.measured.planted:
                planted.append({"data": title, "name": name, "shares": of.measured.planted})
        for name, trained in {**{name: of.runs for name, of in presets.items()}, FREE: presets["`paper`"].free}.items():
            if any(item.finished for item in trained):
                repeated.append({"data": title, "name": name, **over_runs(trained)})
    if not samples:
        raise NotRun("no finished run of the presets paper and released, nor of free networks")
    asked = {"nulls": sorted(nulls), "white": sorted(nulls & WHITE)}
    return {"quick": context.quick, **asked, "samples": samples, "planted": planted, "repeated": repeated}


def _samples(context: Context, data: str, paper: Sample, released: Sample) -> dict[str, list[Scores]]:
    rotation = sample(context, with_equal_filters(classification(data), "rotation by 90 degrees"))
    result = {"`paper`": paper.scores, "`released`": released.scores}
    if paper.runs:
        result[FREE] = paper.measured.controls.get(FREE, [])
    for name in (REPAIRED, OTHER_INPUTS):
        result |= {
            f"{name}, {title}": _control(of, name) for title, of in (("`paper`", paper), ("`released`", released))
        }
    return result | {"given rotation": rotation.scores}


def _control(of: Sample, name: str) -> list[Scores]:
    return of.measured.controls[name] if of.runs else []


def shares_of(runs: list[Scores]) -> dict[str, Any]:
    """For each structure and each way of asking, the share in each run, whole or on U; and what was left undecided."""
    by_run = {words: [ask(item) for item in runs] for words, ask in UNDER.items()}
    return {
        "shares": {
            name: {words: [share(item, name) for item in some] for words, some in by_run.items()} for name in SHOWN
        },
        "undecided": {name: [share_undecided(item, name) for item in runs] for name in SHOWN},
    }


def _nulls(scores: Scores) -> set[str]:
    numbers = (n for item in scores.generators for some in item.scores.values() for n in some.values())
    return {null for number in numbers for null in number.p_values}
