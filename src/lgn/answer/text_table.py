"""The answer as text: the data and the question, a table, notes, and the sentence last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lgn.actions import size_text
from lgn.answer.evidence import Evidence, Filters, Gain, LabelMap
from lgn.text import columns

if TYPE_CHECKING:
    from lgn.answer.answer import Answer, Row

#: The heads of the columns, by the kind of evidence.
HEADS = {
    "data": "told apart",
    "labels": "labels",
    "network": "gain of a network",
    "moments": "violation",
    "copies": "gap, nats",
    "balance": "balance",
    "law": "defect",
}
QUESTIONS = {
    "data": "which transformations preserve their distribution?",
    "labels": "which transformations preserve their distribution and their labels?",
    "law": "which maps commute with the function?",
    "filters": "under which transformations are filters copies of each other?",
}


def text(answer: Answer) -> str:
    """The whole answer for a terminal."""
    head, *rows = cells(answer)
    parts = [asked(answer), "\n".join(columns([head, *rows])) if rows else "", "\n".join(answer.notes), answer.sentence]
    return "\n\n".join(part for part in parts if part)


def asked(answer: Answer) -> str:
    """A line about the data and the question."""
    data = answer.data
    if data.kind == "network":
        network = f"network of {data.count} convolutions, " if data.count > 1 else ""
        layer = f"layer {answer.rows[0].layer}" if answer.rows and answer.rows[0].layer else "filters"
        return f"{network}{layer} of {size_text(data.shape)}: {QUESTIONS[answer.question]}"
    noun = f"{data.count:,} {data.kind} of {size_text(data.shape)}"
    if data.kind == "tables":
        noun = f"table of {data.count:,} rows and {data.shape[0]} columns"
    classes = f" in {len(data.classes)} classes" if data.classes else ""
    return f"{noun}{classes}: {QUESTIONS[answer.question]}"


def cells(answer: Answer) -> list[list[str]]:
    """The table: a row of heads, then one row per transformation; empty columns are left out.

    The table of a network is that of its first layer.
    """
    kinds = [kind for kind in HEADS if any(row.of(kind) is not None for row in answer.rows)]
    heads = ["", "verdict", *(head for kind in kinds for head in (HEADS[kind], "interval")), "samples needed"]
    rows = [
        [
            row.name,
            row.verdict,
            *(cell for kind in kinds for cell in (_value(row.of(kind)), _interval(row.of(kind)))),
            _needed(row),
        ]
        for row in answer.rows
        if row.layer == answer.rows[0].layer
    ]
    used = [column for column in range(len(heads)) if any(row[column] for row in rows)]
    return [[line[column] for column in used] for line in [heads, *rows]]


def _value(evidence: Evidence | None) -> str:
    if evidence is None:
        return ""
    if isinstance(evidence.detail, LabelMap):
        return evidence.detail.effect
    if isinstance(evidence.detail, Gain):
        return f"{evidence.value:+.1f} points"
    if evidence.kind == "balance":
        return f"{evidence.verdict} ({evidence.value:.2f})"
    if isinstance(evidence.detail, Filters):
        return f"{evidence.value:.2f} (p = {evidence.p_value:.2g})"
    return f"{evidence.value:.3f}"


def _interval(evidence: Evidence | None) -> str:
    if evidence is None or evidence.interval is None or isinstance(evidence.detail, LabelMap):
        return ""
    digits = 1 if isinstance(evidence.detail, Gain) else 3
    low, high = (f"{end:.{digits}f}" for end in evidence.interval)
    return f"{low} to {high}"


def _needed(row: Row) -> str:
    if row.needed is None:
        return ""
    low, high = (f"{end:,}" for end in row.needed)
    return low if low == high else f"{low} to {high}"
