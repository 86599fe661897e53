"""Claims on groups: penalties, closure, identifiability, and accuracy against free filters (6 to 9 and 14)."""

import statistics
from math import log10
from statistics import mean
from typing import Any

from lgn.training import Config
from studies.paper.claims.samples import Sample, sample
from studies.paper.claims.statement import (
    Estimate,
    Measured,
    Statement,
    Verdict,
    all_of,
    difference,
    estimate,
    graded,
    of_parts,
    over_generators,
    stated,
    untested,
)
from studies.paper.context import TITLES, Context
from studies.paper.runs import CONTROLS, classification, parameters, with_equal_filters, with_equal_parameters

#: The losses that the paper gives (sec. 4.1 and app. B); the others are ours.
OF_THE_PAPER = ("inverse", "singular-values", "log-determinant")
CLOSED = 0.1


def penalty_times(ratios: dict[str, float]) -> Statement:
    looped, batched = ({name: r for name, r in ratios.items() if kind in name} for kind in ("loop", "batched"))
    lowest = min(ratios.values())
    noise = f"no penalty saves time: a ratio of {lowest:.2f} says how far equal steps can lie apart here"
    runs, details = "preset paper, steps of 128 images on a CPU", [noise] if lowest < 1 else []
    return stated(6, runs, "not tested", details=details, looped=_percent(looped), batched=_percent(batched))


def _percent(ratios: dict[str, float]) -> str:
    return ", ".join(f"{name} {100 * (ratio - 1):+.0f} %" for name, ratio in ratios.items())


def singular_values_kept(runs: str, smallest: dict[str, list[float]], missing: list[str]) -> Statement:
    """Claim 7: each of the paper's penalties keeps singular values away from zero; without one they are not kept.

    smallest: the smallest singular value of each run, by penalty. They differ by powers of ten, so their logarithms
    are compared.
    """
    logarithms = {name: [log10(max(value, 1e-30)) for value in values] for name, values in smallest.items()}
    found = {name: estimate(values) for name, values in logarithms.items()}
    gains = {name: difference(values, logarithms["none"]) for name, values in logarithms.items() if name != "none"}
    kept = [gains[name].above(0) if name in gains else None for name in OF_THE_PAPER]
    ours = [name for name in gains if name not in OF_THE_PAPER]
    details = [
        *(f"{name}, a penalty of ours, which is not judged: {gains[name]}" for name in ours),
        "smallest singular value, mean over runs: "
        + ", ".join(f"{name} {mean(values):.3g}" for name, values in smallest.items()),
        *([f"not run: {', '.join(missing)}"] if missing else []),
    ]
    judged = "; ".join(f"{name} {gains[name]}" for name in OF_THE_PAPER if name in gains)
    verdict = of_parts([*kept, found["none"].below(-2)])
    return stated(7, runs, verdict, details=details, gains=judged, bare=found["none"])


def actions_form_groups(runs: str, measured: Measured) -> Statement:

    def share(fact: str) -> list[float]:
        closed = over_generators(lambda item: (error := item.facts[fact]) is not None and error < CLOSED)
        return [closed(item) for item in measured.runs]

    errors = over_generators(lambda item: item.facts["closure"] or 0.0)
    scaled = over_generators(lambda item: item.facts["closure up to scale"] or 0.0)
    closed, as_is = estimate(share("closure up to scale")), estimate(share("closure"))
    return stated(
        8,
        runs,
        "not tested" if (holds := closed.above(0.5)) is None else "holds" if holds else "not seen",
        scaled=estimate([scaled(item) for item in measured.runs]),
        errors=estimate([errors(item) for item in measured.runs]),
        limit=CLOSED,
        closed=closed,
        as_is=as_is,
    )


def what_is_identifiable(runs: str, measured: Measured) -> Statement:
    """Claim 9: how much of what training changed lies where the data speak to A.

    A change that is smooth overlaps any U of smooth filters: chance is what lies on the U of another generator.
    """

    def means(fact: str) -> list[float]:
        values = [[item.facts[fact] for item in scores.generators] for scores in measured.runs]
        return [mean(value for value in some if value is not None) for some in values]

    own, other = means("change on U"), means("change on another U")
    change, gap = estimate(own), estimate([a - b for a, b in zip(own, other, strict=True)])
    dimension = max(int(item.facts["dimension"] or 0) for scores in measured.runs for item in scores.generators)
    d = measured.runs[0].size
    verdict = graded(all_of([change.above(0.5), gap.above(0)]), gap.above(0))
    values: dict[str, Any] = {"dimension": dimension, "d": d, "change": change, "even": dimension / d, "gap": gap}
    return stated(9, runs, verdict, **values, other=mean(other), energy=estimate(means("energy on U")))


# "As well as" cannot mean better, so it must allow for a little less: half a point, and a tenth of the errors.
POINTS, SHARE_OF_ERRORS = 0.5, 0.1
WAYS = {"equal filters": with_equal_filters, "equal parameters": with_equal_parameters}


def as_well_as_free(context: Context, groups: dict[str, Sample]) -> Statement:
    gaps: dict[str, Estimate] = {}
    as_well: list[bool | None] = []
    details, used = [], []
    for data in context.distinct(*groups):
        group = groups[data]
        if not group.runs:
            continue
        config = context.configured(classification(data))
        title = TITLES[config.data]
        used.append(group.words)
        details.append(_line(f"{title}, learned group", config, group))
        for control in CONTROLS:
            for way, choose in WAYS.items():
                chosen = choose(config, control)
                found = sample(context, chosen, accuracy=True)
                details.append(_line(f"{title}, {control}, {way}", chosen, found))
                if found.runs:
                    gap = difference(_points(group), _points(found))
                    details[-1] += f"; the group less this, in points: {gap}"
                    if control == "free filters":
                        gaps[f"{title}, {way}"] = gap
                        as_well.append(within(gap, statistics.mean(_points(found))))
    if not gaps:
        return untested(14, "runs of the group or of free filters are missing")
    judged = verdict(as_well, len(used) * len(WAYS))
    text = "; ".join(f"{name} {gap}" for name, gap in gaps.items())
    return stated(14, "; ".join(used), judged, details=details, gaps=text, points=POINTS)


def within(gap: Estimate, accuracy: float) -> bool | None:
    return gap.above(-min(POINTS, SHARE_OF_ERRORS * (100 - accuracy)))


def verdict(as_well: list[bool | None], comparisons: int) -> Verdict:
    """Over all comparisons that were tested. To hold, none may be missing."""
    return of_parts([*as_well, *[None] * (comparisons - len(as_well))])


def _points(of: Sample) -> list[float]:
    return [100 * accuracy for accuracy in of.accuracies]


def _line(words: str, config: Config, of: Sample) -> str:
    network = config.network
    size = f"{network.num_sets * network.finite_group.order} filters a layer, {parameters(config):,} parameters"
    if not of.runs:
        return f"{words} ({size}): not run"
    points = _points(of)
    found = estimate(points)
    spread = f", standard deviation {statistics.stdev(points):.2f}" if len(points) > 1 else ""
    interval = "" if found.low is None else f" [{found.low:.2f}, {found.high:.2f}]"
    return f"{words} ({size}): {found.mean:.2f} %{interval}{spread}, {len(points)} run{'s' if len(points) > 1 else ''}"
