"""The answer as HTML: a fragment for notebooks, and a page with pictures of samples and their versions."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from torch import Tensor

from lgn.answer import pictures, table
from lgn.answer.evidence import Filters
from lgn.files import write_atomic
from lgn.text import html_table

if TYPE_CHECKING:
    from lgn.answer.answer import Answer

#: The number of transformations that a page shows on samples: a cube has 47.
SHOWN = 16
STYLE = """
:root { --ink: #1c2129; --soft: #5b6472; --line: #e2e0da; --ground: #faf9f6; --panel: #ffffff; --accent: #1d5fae; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e8ec; --soft: #9aa3b2; --line: #2b303a; --ground: #111317; --panel: #181b21; --accent: #7db4f5; }
}
body { font: 15px/1.5 system-ui, sans-serif; max-width: 82rem; margin: 0 auto; padding: 1.5rem clamp(12px, 3vw, 40px);
  color: var(--ink); background: var(--ground); color-scheme: light dark; }
h1 { font-size: clamp(1.15rem, 2.2vw, 1.5rem); font-weight: 500; line-height: 1.4; max-width: 60ch; margin: 0 0 .6rem; }
p, ul { color: var(--soft); font-size: .9rem; max-width: 80ch; }
ul { padding-left: 1.1rem; } ul:empty { display: none; }
.columns { display: flex; flex-wrap: wrap; align-items: flex-start; gap: 1rem 2.5rem; }
.columns > div { max-width: 100%; } .columns > div:last-child { flex: 1 1 22rem; }
.scrolled { overflow-x: auto; } table { border-collapse: collapse; white-space: nowrap; }
td, th { text-align: left; padding: .3rem .9rem .3rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 400; font-size: .85rem; color: var(--soft); }
figure { display: flex; flex-wrap: wrap; align-items: center; gap: .2rem .8rem; margin: 0 0 .5rem; }
figcaption { flex: 0 0 8.5rem; font-size: .85rem; line-height: 1.35; } small { display: block; color: var(--soft); }
figure div { display: flex; flex-wrap: wrap; gap: .3rem .4rem; } figure span { white-space: nowrap; }
figure img { width: auto; height: 44px; image-rendering: pixelated; border-radius: 3px; margin-right: 2px; }
@media (max-width: 30rem) { td, th { font-size: .82rem; padding-right: .55rem; } }
svg { background: var(--panel); } text { fill: var(--soft); font-size: 11px; }
line { stroke: var(--line); } polyline { stroke: var(--accent); }
"""


def fragment(answer: Answer) -> str:
    """The sentence, the table and the notes, for a notebook."""
    head, *rows = table.cells(answer)
    notes = "".join(f"<li>{escape(note)}</li>" for note in answer.notes)
    sentence, asked = escape(answer.sentence), escape(table.asked(answer))
    return f"<p><b>{sentence}</b></p><p>{asked}</p>{html_table(head, rows)}<ul>{notes}</ul>"


def write(answer: Answer, path: Path, images: bool) -> None:
    """Write a page that needs no other file and no script."""
    head, *rows = table.cells(answer)
    notes = "".join(f"<li>{escape(note)}</li>" for note in answer.notes)
    figures = "".join(_figures(answer)) if images else ""
    page = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(answer.name or "lgn")}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{STYLE}</style></head><body><h1>{escape(answer.sentence)}</h1><p>{escape(table.asked(answer))}</p>"
        f'<div class="columns"><div><div class="scrolled">{html_table(head, rows)}</div><ul>{notes}</ul></div>'
        f"<div>{figures}</div></div></body></html>"
    )
    write_atomic(path, page.encode())


def _figures(answer: Answer) -> list[str]:
    """The examples as they are, and transformed; kept and undecided transformations come first."""
    examples, kind = answer.data.examples, answer.data.kind
    if examples is not None and kind == "network":
        return _filters(answer, examples)
    if examples is None or kind not in pictures.KINDS:
        return []
    rows = [
        row for row in answer.rows if row.transformation.function is not None or row.transformation.matrix is not None
    ]
    rows = sorted(rows, key=lambda row: row.verdict == "broken")[:SHOWN]
    largest = float(examples.abs().max()) or 1.0
    versions = [("as they are", "", examples)]
    versions += [(row.name, row.verdict, row.transformation(examples)) for row in rows]
    return [
        f"<figure><figcaption>{escape(name)}<small>{verdict}</small></figcaption>"
        f"<div>{''.join(f'<span>{pictures.sample(each, largest)}</span>' for each in samples)}</div></figure>"
        for name, verdict, samples in versions
    ]


def _filters(answer: Answer, filters: Tensor) -> list[str]:
    """The filters of the first layer, and the pairs of filters that are copies of each other."""
    images = [pictures.sample(one, float(one.abs().max())) for one in filters]
    shown: list[tuple[str, Sequence[Sequence[int]]]] = [("filters", [[number] for number in range(len(images))])]
    for row in answer.rows:
        copies = row.of("copies") if row.layer == answer.rows[0].layer else None
        if copies is not None and isinstance(copies.detail, Filters) and copies.detail.pairs:
            shown.append((row.name, copies.detail.pairs))
    return [
        f"<figure><figcaption>{escape(name)}</figcaption><div>"
        + "".join(f"<span>{''.join(images[number] for number in group)}</span>" for group in groups)
        + "</div></figure>"
        for name, groups in shown
    ]
