"""From the readings of observers to rows, with Holm's correction over all transformations of a call."""

from collections.abc import Sequence
from dataclasses import replace

from torch import Tensor

from lgn.answer import ByClass, Evidence, Row, ToldApart
from lgn.discovery.images.ranges import spread
from lgn.discovery.observers import decide, read
from lgn.discovery.observers.observing import FamilyEvidence
from lgn.stats import holm


def data_rows(
    found: Sequence[FamilyEvidence],
    margin: float,
    count: int,
    clusters: Tensor,
    labels: Tensor | None,
    class_names: Sequence[str],
) -> list[Row]:
    """A row with evidence of the data for every transformation; the first of several families that have it counts.

    count: the number of samples.  clusters, labels: those of the test samples.
    """
    flat, names = [], set[str]()
    for one in found:
        for number, transformation in enumerate(one.family.transformations):
            if transformation.name not in names:
                names.add(transformation.name)
                flat.append((one, number, transformation))
    adjusted = holm([one.readings[number].p_value(one.chance) for one, number, _ in flat])
    rows = []
    for (one, number, transformation), p_value in zip(flat, adjusted, strict=True):
        reading, control = one.readings[number], one.control
        decision = decide(reading, p_value, control, margin, count)
        details = ToldApart(
            control=None if control is None else control.share,
            control_interval=None if control is None else control.interval,
            resampling=None if one.resampling is None else one.resampling.share,
            at_most=_at_most(one, number, margin) if decision.verdict == "kept" else None,
            trace=decision.trace,
            exact_p=one.exact[number],
            spread=spread(one) if one.family.group is None and len(one.family.transformations) > 1 else None,
            by_class=() if labels is None else _by_class(one.answers[:, number], clusters, labels, class_names),
        )
        evidence = Evidence("data", reading.share, reading.interval, p_value, decision.verdict, details)
        rows.append(Row(transformation, decision.verdict, (evidence,), needed=decision.needed))
    return rows


def with_evidence(row: Row, evidence: Evidence) -> Row:
    """The row with one more piece of evidence."""
    return replace(row, evidence=(*row.evidence, evidence))


def answered(row: Row, of: str) -> Row:
    """The row with the verdict on the question.

    About labels, a transformation is kept if the samples keep it and the classes survive or are permuted, and broken if
    the samples or the classes break it.
    """
    kinds = ("data",) if of == "data" else ("data", "labels")
    verdicts = [None if (evidence := row.of(kind)) is None else evidence.verdict for kind in kinds]
    if "broken" in verdicts:
        return replace(row, verdict="broken")
    return replace(row, verdict="kept" if set(verdicts) == {"kept"} else "undecided")


def _at_most(one: FamilyEvidence, number: int, margin: float) -> float:
    """The upper end of the interval, divided by the share of the planted break that was seen; below the margin."""
    assert one.control is not None  # a kept transformation has one
    seen = min(max((one.control.interval[0] - 0.5) / margin, 1e-9), 1.0)
    return 0.5 + min(max(one.readings[number].interval[1] - 0.5, 0.0) / seen, margin)


def _by_class(answers: Tensor, clusters: Tensor, labels: Tensor, class_names: Sequence[str]) -> tuple[ByClass, ...]:
    found = []
    for label, name in enumerate(class_names):
        chosen = labels == label
        if int(chosen.sum()) > 1:
            reading = read(answers[:, chosen], clusters[chosen])
            found.append(ByClass(name, reading.share, reading.interval))
    return tuple(found)
