"""The claim on accuracy: the learned group against free filters and against a rotation that is given (claim 14)."""

import statistics

from lgn.training import Config
from studies.paper.claims.samples import Sample, sample
from studies.paper.claims.statement import Estimate, Statement, Verdict, difference, estimate, of_parts, untested
from studies.paper.context import TITLES, Context
from studies.paper.controls import CONTROLS, parameters, with_equal_filters, with_equal_parameters
from studies.paper.runs import classification

# "As well as" cannot mean better, so it must allow for a little less: half a point, and a tenth of the errors.
POINTS, SHARE_OF_ERRORS = 0.5, 0.1
WAYS = {"equal filters": with_equal_filters, "equal parameters": with_equal_parameters}


def as_well_as_free(context: Context, groups: dict[str, Sample]) -> Statement:
    """Claim 14, on every data set: as many filters, and as many parameters."""
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
    return Statement(
        14,
        "; ".join(used),
        "accuracy of the group less that of free filters, in points: "
        + "; ".join(f"{name} {gap}" for name, gap in gaps.items()),
        f"as well means: by the whole interval, at most {POINTS} points less and at most a tenth more errors",
        verdict(as_well, len(used) * len(WAYS)),
        tuple(details),
    )


def within(gap: Estimate, accuracy: float) -> bool | None:
    """Whether the gap to free filters of this accuracy is small; open where there are too few runs."""
    return gap.above(-min(POINTS, SHARE_OF_ERRORS * (100 - accuracy)))


def verdict(as_well: list[bool | None], comparisons: int) -> Verdict:
    """Over all comparisons that were tested. To hold, none may be missing."""
    return of_parts([*as_well, *[None] * (comparisons - len(as_well))])


def _points(of: Sample) -> list[float]:
    return [100 * accuracy for accuracy in of.accuracies]


def _line(words: str, config: Config, of: Sample) -> str:
    """The mean, the spread and the interval over seeds, and what the network is made of."""
    network = config.network
    size = f"{network.num_sets * network.finite_group.order} filters a layer, {parameters(config):,} parameters"
    if not of.runs:
        return f"{words} ({size}): not run"
    points = _points(of)
    found = estimate(points)
    spread = f", standard deviation {statistics.stdev(points):.2f}" if len(points) > 1 else ""
    interval = "" if found.low is None else f" [{found.low:.2f}, {found.high:.2f}]"
    return f"{words} ({size}): {found.mean:.2f} %{interval}{spread}, {len(points)} run{'s' if len(points) > 1 else ''}"
