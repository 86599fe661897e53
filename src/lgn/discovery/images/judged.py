"""From what observers read to what is said: a row for every candidate, with Holm's correction over all of a call."""

from torch import Tensor

from lgn.discovery.images.images_evidence import FamilyEvidence
from lgn.discovery.images.ranges import spread
from lgn.discovery.images.row import ClassReading, FamilyFacts, Row
from lgn.discovery.images.statistic import read
from lgn.discovery.images.verdict import Verdict, judge
from lgn.stats import holm


def rows_of(
    found: list[FamilyEvidence],
    margin: float,
    images: int,
    clusters: Tensor,
    labels: Tensor | None,
    class_names: tuple[str, ...],
) -> tuple[Row, ...]:
    """All candidates of all families. images: how many there are; clusters, labels: of those that judge."""
    flat = [(each, number) for each in found for number in range(len(each.family.candidates))]
    adjusted = holm([each.readings[number].p_value(each.chance) for each, number in flat])
    rows = []
    for (each, number), p in zip(flat, adjusted, strict=True):
        candidate, reading = each.family.candidates[number], each.readings[number]
        verdict = judge(reading, p, each.control if candidate.element is not None else None, margin, images)
        by_class: tuple[ClassReading, ...] = ()
        if labels is not None:
            by_class = tuple(
                ClassReading(name, about.share, about.interval)
                for label, name in enumerate(class_names)
                if int((chosen := labels == label).sum()) > 1
                for about in [read(each.answers[:, number, chosen], clusters[chosen])]
            )
        rows.append(
            Row(
                candidate.name,
                each.family.name,
                verdict.word,
                reading.share,
                reading.interval,
                p,
                _at_most(each, number, verdict, margin),
                verdict.trace,
                verdict.needed,
                candidate.element,
                candidate.parameter,
                by_class,
                exact_p=each.exact[number],
            )
        )
    return tuple(rows)


def _at_most(each: FamilyEvidence, number: int, verdict: Verdict, margin: float) -> float | None:
    """The upper end of the interval over the share of a break of the margin that was seen; below it, being kept."""
    if verdict.word != "kept" or each.control is None:
        return None
    seen = min(max((each.control.interval[0] - 0.5) / margin, 1e-9), 1.0)
    return 0.5 + min(max(each.readings[number].interval[1] - 0.5, 0.0) / seen, margin)


def facts_of(each: FamilyEvidence) -> FamilyFacts:
    """What holds for all candidates of a family."""
    on_a_line = each.family.group_name is None
    control, twin = each.control, each.twin
    return FamilyFacts(
        each.family.name,
        each.family.group_name,
        None if control is None else control.share,
        None if control is None else control.interval,
        None if twin is None else twin.share,
        spread(each.family.candidates, each.readings) if on_a_line else None,
    )
