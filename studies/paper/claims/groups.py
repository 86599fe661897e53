"""Claims on groups: penalties, closure, identifiability, and accuracy against free filters (6 to 9 and 14)."""

from itertools import product
from math import log10
from statistics import mean, stdev
from typing import Any

from lgn.training import Config
from studies.paper.claims.samples import Sample, sample
from studies.paper.claims.statement import (
    Estimate,
    Measured,
    Statement,
    difference,
    estimate,
    graded,
    of_parts,
    over_generators,
    stated,
    untested,
)
from studies.paper.context import Context
from studies.paper.runs import CONTROLS, classification, parameters, with_equal_filters, with_equal_parameters
from studies.training import TITLES

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

    smallest: the smallest singular value of each run, by penalty
    """
    logarithms = {name: [log10(max(value, 1e-30)) for value in values] for name, values in smallest.items()}
    bare = logarithms.pop("none")
    gains = {name: difference(values, bare) for name, values in logarithms.items()}
    judged = {name: gains.pop(name, None) for name in OF_THE_PAPER}
    means = ", ".join(f"{name} {mean(values):.3g}" for name, values in smallest.items())
    details = [
        *(f"{name}, a penalty of ours, which is not judged: {gain}" for name, gain in gains.items()),
        f"smallest singular value, mean over runs: {means}",
        *([f"not run: {', '.join(missing)}"] if missing else []),
    ]
    kept = [None if gain is None else gain.above(0) for gain in judged.values()]
    text = "; ".join(f"{name} {gain}" for name, gain in judged.items() if gain)
    verdict = of_parts([*kept, estimate(bare).below(-2)])
    return stated(7, runs, verdict, details=details, gains=text, bare=estimate(bare))


def actions_form_groups(runs: str, measured: Measured) -> Statement:
    """Claim 8: more than half of the generators are closed up to a scale."""

    def errors(fact: str) -> Estimate:
        return estimate([over_generators(lambda item: item.facts[fact] or 0.0)(scores) for scores in measured.runs])

    def closed(fact: str) -> Estimate:
        return estimate([over_generators(lambda item: _below(item.facts[fact]))(scores) for scores in measured.runs])

    share = closed("closure up to scale")
    return stated(
        8,
        runs,
        of_parts([share.above(0.5)]),
        scaled=errors("closure up to scale"),
        errors=errors("closure"),
        limit=CLOSED,
        closed=share,
        as_is=closed("closure"),
    )


def _below(error: float | None) -> bool:
    return error is not None and error < CLOSED


def what_is_identifiable(runs: str, measured: Measured) -> Statement:
    """Claim 9: more of the change by training is on the identifiable subspace U than on the U of another generator."""

    def means(fact: str) -> list[float]:
        values = [[item.facts[fact] for item in scores.generators] for scores in measured.runs]
        return [mean(value for value in found if value is not None) for found in values]

    own, other = means("change on U"), means("change on another U")
    change, gap = estimate(own), estimate([a - b for a, b in zip(own, other, strict=True)])
    dimension = max(int(item.facts["dimension"] or 0) for scores in measured.runs for item in scores.generators)
    d = measured.runs[0].size
    values: dict[str, Any] = {"dimension": dimension, "d": d, "change": change, "even": dimension / d, "gap": gap}
    values |= {"other": mean(other), "energy": estimate(means("energy on U"))}
    return stated(9, runs, graded(gap.above(0), change.above(0.5)), **values)


# "As well as" allows for a loss of half a point, and of a tenth of the errors.
POINTS, SHARE_OF_ERRORS = 0.5, 0.1
WAYS = {"equal filters": with_equal_filters, "equal parameters": with_equal_parameters}


def as_well_as_free(context: Context, groups: dict[str, Sample]) -> Statement:
    """Claim 14: the accuracy of the learned group, and of free filters and a given rotation."""
    gaps: dict[str, Estimate] = {}
    as_well: list[bool | None] = []
    details, used = [], []
    for data in context.distinct(*groups):
        group = groups[data]
        if not group.runs:
            continue
        config = context.configured(classification(data))
        title = TITLES[config.data]
        used.append(group.title)
        details.append(_line(f"{title}, learned group", config, group))
        for control, way in product(CONTROLS, WAYS):
            chosen = WAYS[way](config, control)
            found = sample(context, chosen, accuracy=True)
            details.append(_line(f"{title}, {control}, {way}", chosen, found))
            gap = difference(group.points, found.points) if found.runs else None
            if gap is not None:
                details[-1] += f"; the group less this, in points: {gap}"
            if control == "free filters":
                as_well.append(None if gap is None else within(gap, mean(found.points)))
                gaps |= {} if gap is None else {f"{title}, {way}": gap}
    if not gaps:
        return untested(14, "runs of the group or of free filters are missing")
    text = "; ".join(f"{name} {gap}" for name, gap in gaps.items())
    return stated(14, "; ".join(used), of_parts(as_well), details=details, gaps=text, points=POINTS)


def within(gap: Estimate, accuracy: float) -> bool | None:
    """Whether the whole interval of a difference lies above the allowed loss."""
    return gap.above(-min(POINTS, SHARE_OF_ERRORS * (100 - accuracy)))


def _line(text: str, config: Config, of: Sample) -> str:
    network = config.network
    filters = network.num_sets * network.finite_group.order
    text += f" ({filters} filters a layer, {parameters(config):,} parameters): "
    if not of.runs:
        return text + "not run"
    found = estimate(of.points)
    spread = f", standard deviation {stdev(of.points):.2f}" if found.runs > 1 else ""
    interval = "" if found.low is None else f" [{found.low:.2f}, {found.high:.2f}]"
    return f"{text}{found.mean:.2f} %{interval}{spread}, {found.runs} run{'s' if found.runs > 1 else ''}"
