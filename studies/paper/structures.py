"""Structures of generators, under nulls with and without smoothness, and in controls."""

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from studies.paper.claims.samples import Sample, sample
from studies.paper.claims.structures import OPERATOR, WHITE, Found, found, found_under, share, share_undecided
from studies.paper.context import Context, NotRun
from studies.paper.excerpt import Scores
from studies.paper.figures import structure_shares
from studies.paper.runs import classification, with_equal_filters
from studies.paper.summaries import over_runs
from studies.training import TITLES
from studies.truth.controls import FREE, OTHER_INPUTS, REPAIRED, THROUGH_FILTERS, WHOLE

SHOWN = ("skew-symmetric", "Toeplitz", "block-Toeplitz", "multi-scale", "concentrated blocks", OPERATOR)
DATA, PRESETS = ("cifar10", "mnist"), ("paper", "released")
#: The nulls without smoothness, and all nulls.
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
        for way, title in {WHOLE: "in matrices", THROUGH_FILTERS: "in filters"}.items():
            found = [by_way[way] for by_way in item["shares"]]
            shares = {name: {"all nulls": [run[name] for run in found]} for name in found[0]}
            yield {**item, "name": f"planted {title}, {item['name']}", "runs": len(found), "shares": shares}


def measure(context: Context) -> dict[str, Any]:
    """The shares of generators with each structure by run, the shares of planted ones, and the cosines of filters."""
    measured: dict[str, Any] = {"samples": [], "planted": [], "repeated": []}
    nulls: set[str] = set()
    for data in context.distinct(*DATA):
        title = TITLES[context.configured(classification(data)).data]
        presets = {f"`{name}`": sample(context, classification(data, name), free=True) for name in PRESETS}
        for name, runs in _samples(context, data, presets).items():
            if runs:
                measured["samples"].append({"data": title, "name": name, "runs": len(runs), **shares_of(runs)})
                numbers = (of.values() for item in runs for g in item.generators for of in g.scores.values())
                nulls.update(*(number.p_values for number in chain.from_iterable(numbers)))
        for name, of in presets.items():
            if of.runs and of.measured.planted:
                measured["planted"].append({"data": title, "name": name, "shares": of.measured.planted})
        for name, trained in {**{name: of.runs for name, of in presets.items()}, FREE: presets["`paper`"].free}.items():
            if any(item.finished for item in trained):
                measured["repeated"].append({"data": title, "name": name, **over_runs(trained)})
    if not measured["samples"]:
        raise NotRun("no finished run of the presets paper and released, nor of free networks")
    return {"quick": context.quick, "nulls": sorted(nulls), "white": sorted(nulls & WHITE), **measured}


def _samples(context: Context, data: str, presets: dict[str, Sample]) -> dict[str, list[Scores]]:
    controls = {name: of.measured.controls if of.runs else {} for name, of in presets.items()}
    rotation = sample(context, with_equal_filters(classification(data), "rotation by 90 degrees"))
    return {
        **{name: of.scores for name, of in presets.items()},
        FREE: controls["`paper`"].get(FREE, []),
        **{f"{kind}, {name}": controls[name].get(kind, []) for kind in (REPAIRED, OTHER_INPUTS) for name in presets},
        "given rotation": rotation.scores,
    }


def shares_of(runs: list[Scores]) -> dict[str, Any]:
    """The share in each run with a structure, by nulls, and the share that is undecided."""
    by_run = {name: [ask(item) for item in runs] for name, ask in UNDER.items()}
    return {
        "shares": {
            name: {nulls: [share(item, name) for item in found] for nulls, found in by_run.items()} for name in SHOWN
        },
        "undecided": {name: [share_undecided(item, name) for item in runs] for name in SHOWN},
    }
