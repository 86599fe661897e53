"""Rows from the evidence of observers, with Holm's correction over all transformations of a call."""

from collections.abc import Sequence
from dataclasses import replace

from torch import Tensor

from lgn.answer import ByClass, Evidence, Row, ToldApart
from lgn.discovery.images.preparing import Prepared
from lgn.discovery.images.question import Question
from lgn.discovery.images.ranges import range_width
from lgn.discovery.observers import decide, mean_accuracy, needed_sizes
from lgn.discovery.observers.observing import FamilyEvidence
from lgn.stats import LEVEL, holm
from lgn.transforms import Transformation


def data_rows(found: Sequence[FamilyEvidence], prepared: Prepared, question: Question) -> list[Row]:
    """A row with the evidence of the data for every transformation; if two families have it, the first one counts."""
    first: dict[str, tuple[FamilyEvidence, int, Transformation]] = {}
    for evidence in found:
        for index, transformation in enumerate(evidence.family.transformations):
            first.setdefault(transformation.name, (evidence, index, transformation))
    p_values = holm([evidence.accuracies[index].p_value(evidence.chance) for evidence, index, _ in first.values()])
    rows = []
    for (evidence, index, transformation), p_value in zip(first.values(), p_values, strict=True):
        accuracy, control, resampling = evidence.accuracies[index], evidence.control, evidence.resampling
        verdict = decide(accuracy, p_value, control, question.margin)
        is_line = evidence.family.group is None and len(evidence.family.transformations) > 1
        detail = ToldApart(
            control=None if control is None else control.value,
            control_interval=None if control is None else control.interval,
            resampling=None if resampling is None else resampling.value,
            at_most=_at_most(evidence, index, question.margin) if verdict == "kept" else None,
            trace=verdict == "kept" and p_value <= LEVEL,
            exact_p=evidence.exact[index],
            spread=range_width(evidence) if is_line else None,
            by_class=_by_class(evidence.correct[:, index], prepared, question.class_names),
        )
        data = Evidence("data", accuracy.value, accuracy.interval, p_value, verdict, detail)
        needed = needed_sizes(accuracy, control, len(prepared.data.samples)) if verdict == "undecided" else None
        rows.append(Row(transformation, verdict, (data,), needed=needed))
    return rows


def with_evidence(row: Row, evidence: Evidence) -> Row:
    """The row with one more piece of evidence."""
    return replace(row, evidence=(*row.evidence, evidence))


def with_verdict(row: Row, of: str) -> Row:
    """The row with the verdict on the question `of`, "data" or "labels".

    The answer about labels is "kept" if the samples keep the transformation and the classes survive or are permuted,
    and "broken" if the samples or the classes break it.
    """
    kinds = ("data",) if of == "data" else ("data", "labels")
    verdicts = [None if (evidence := row.of(kind)) is None else evidence.verdict for kind in kinds]
    if "broken" in verdicts:
        return replace(row, verdict="broken")
    return replace(row, verdict="kept" if set(verdicts) == {"kept"} else "undecided")


def _at_most(evidence: FamilyEvidence, index: int, margin: float) -> float:
    """An upper limit of the accuracy of the best observer, at most 1/2 + margin.

    It is the upper end of the interval, beyond chance, over the share of the planted break that the observer found.
    """
    assert evidence.control is not None  # nothing is kept without a control
    seen = min(max((evidence.control.interval[0] - 0.5) / margin, 1e-9), 1.0)
    return 0.5 + min(max(evidence.accuracies[index].interval[1] - 0.5, 0.0) / seen, margin)


def _by_class(correct: Tensor, prepared: Prepared, class_names: Sequence[str]) -> tuple[ByClass, ...]:
    results, clusters = [], prepared.clusters[prepared.test]
    for label, name in enumerate(class_names):
        members = prepared.labels_of(prepared.test) == label
        if int(members.sum()) > 1:
            accuracy = mean_accuracy(correct[:, members], clusters[members])
            results.append(ByClass(name, accuracy.value, accuracy.interval))
    return tuple(results)
