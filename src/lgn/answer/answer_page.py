"""The answer as HTML: a fragment for notebooks, and a page with pictures of samples and their versions."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from torch import Tensor

from lgn.answer import sample_pictures, text_table
from lgn.answer.evidence import Filters
from lgn.files import write_atomic
from lgn.text import Html, html_list, html_page, html_table, paragraphs

if TYPE_CHECKING:
    from lgn.answer.answer import Answer

#: The largest number of transformations with pictures: a cube has 47.
SHOWN = 16


def fragment(answer: Answer) -> str:
    """The sentence, the table and the notes, for a notebook."""
    return paragraphs(Html(f"<p><b>{escape(answer.sentence)}</b></p>"), *_parts(answer))


def write(answer: Answer, path: Path, images: bool) -> None:
    """Write a page that works offline and needs no script."""
    figures = Html("".join(_figures(answer)) if images else "")
    body = Html(f'<div class="columns"><div>{paragraphs(*_parts(answer))}</div><div>{figures}</div></div>')
    write_atomic(path, html_page(answer.sentence, body).encode())


def _parts(answer: Answer) -> list[str]:
    head, *rows = text_table.cells(answer)
    table = Html(f'<div class="scrolled">{html_table(head, rows)}</div>')
    return [text_table.asked(answer), table if rows else Html(""), html_list(answer.notes)]


def _figures(answer: Answer) -> list[str]:
    """The examples, and their versions; kept and undecided transformations come first."""
    examples, kind = answer.data.examples, answer.data.kind
    if examples is None:
        return []
    if kind == "network":
        return _filters(answer, examples)
    if kind not in sample_pictures.KINDS:
        return []
    known = [row for row in answer.rows if row.transformation.matrix is not None or row.transformation.function]
    largest = float(examples.abs().max()) or 1.0
    versions = [("original", "", examples)]
    versions += [
        (row.name, row.verdict, row.transformation(examples))
        for row in sorted(known, key=lambda row: row.verdict == "broken")[:SHOWN]
    ]
    return [
        _figure(name, verdict, [sample_pictures.sample(values, largest) for values in samples])
        for name, verdict, samples in versions
    ]


def _filters(answer: Answer, filters: Tensor) -> list[str]:
    """The filters of the first layer, and the pairs of filters that are copies of each other."""
    images = [sample_pictures.sample(values, float(values.abs().max())) for values in filters]
    shown: list[tuple[str, Sequence[Sequence[int]]]] = [("filters", [[number] for number in range(len(images))])]
    for row in answer.rows:
        copies = row.of("copies") if row.layer == answer.rows[0].layer else None
        if copies is not None and isinstance(copies.detail, Filters) and copies.detail.pairs:
            shown.append((row.name, copies.detail.pairs))
    return [
        _figure(name, "", ["".join(images[number] for number in group) for group in groups]) for name, groups in shown
    ]


def _figure(name: str, note: str, pictures: Sequence[str]) -> str:
    caption = f"{escape(name)}<small>{note}</small>"
    spans = "".join(f"<span>{picture}</span>" for picture in pictures)
    return f"<figure><figcaption>{caption}</figcaption><div>{spans}</div></figure>"
