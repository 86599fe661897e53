"""The answer as HTML: a fragment for notebooks, and a page with pictures of samples and their versions."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from lgn.answer import text_table
from lgn.answer.evidence import Filters
from lgn.files import write_atomic
from lgn.text import Html, heat_map, html_list, html_page, html_table, paragraphs, png_address

if TYPE_CHECKING:
    from lgn.answer.answer import Answer

#: The largest number of transformations with pictures: a cube has 47.
SHOWN = 16
#: The kinds of data that have pictures, and the size of the picture of a signal.
PICTURED = ("images", "signals", "volumes")
WIDTH, HEIGHT = 160, 56


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
    if kind not in PICTURED:
        return []
    known = [row for row in answer.rows if row.transformation.matrix is not None or row.transformation.function]
    largest = float(examples.abs().max()) or 1.0
    versions = [("original", "", examples)]
    versions += [
        (row.name, row.verdict, row.transformation(examples))
        for row in sorted(known, key=lambda row: row.verdict == "broken")[:SHOWN]
    ]
    return [
        _figure(name, verdict, [_picture(values, largest) for values in samples]) for name, verdict, samples in versions
    ]


def _filters(answer: Answer, filters: Tensor) -> list[str]:
    """The filters of the first layer, and the pairs of filters that are copies of each other."""
    images = [_picture(values, float(values.abs().max())) for values in filters]
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


def _picture(values: Tensor, largest: float) -> str:
    """A signal (C, T) by its first channel, an image (C, H, W), or a volume (C, D, H, W) by three slices."""
    if values.ndim == 2:
        line, middle = values[0].double(), HEIGHT / 2
        step = WIDTH / max(len(line) - 1, 1)
        heights = torch.nan_to_num(middle - line / largest * (middle - 2)).tolist()
        points = " ".join(f"{step * place:.1f},{height:.1f}" for place, height in enumerate(heights))
        return (
            f'<svg width="{WIDTH}" height="{HEIGHT}" role="img" aria-label="a signal of {len(line)} values">'
            f'<line x1="0" y1="{middle}" x2="{WIDTH}" y2="{middle}"/>'
            f'<polyline points="{points}" fill="none" stroke-width="1.2"/></svg>'
        )
    if values.ndim == 3:
        low = min(float(values.min()), 0.0)
        pixels = (values.double() - low) / max(largest - low, 1e-12)
        address = png_address(pixels.movedim(0, -1) if len(values) == 3 else pixels.mean(0))
        return f'<img src="{address}" alt="an image">'
    slices = [values[0].select(axis, values.shape[axis + 1] // 2) for axis in range(3)]
    return "".join(str(heat_map(cut)) for cut in slices)
