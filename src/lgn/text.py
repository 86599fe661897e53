"""Tables as text, as Markdown and as HTML, and matrices and images as PNG pictures inside HTML."""

import base64
import html
import io
from collections.abc import Iterable, Sequence

import torch
from torch import Tensor

#: From negative (blue) over zero (white) to positive (orange): the colours of matrices in tables, figures and pages.
DIVERGING = ("#0d3b7a", "#3a7dc1", "#a0c8e8", "#fcfbf9", "#fac685", "#de7c1c", "#853c00")

#: The style of pages without scripts, in light and dark.
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
.columns > div { max-width: 100%; flex: 0 1 38rem; } .columns > div:last-child { flex: 1 1 30rem; }
.scrolled { overflow-x: auto; } table { border-collapse: collapse; white-space: nowrap; }
td, th { text-align: left; padding: .3rem .9rem .3rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 400; font-size: .85rem; color: var(--soft); }
figure { display: flex; flex-wrap: wrap; align-items: center; gap: .2rem .8rem; margin: 0 0 .5rem; }
@media (min-width: 60rem) { figure { flex-wrap: nowrap; } }
figcaption { flex: 0 0 8.5rem; font-size: .85rem; line-height: 1.35; } small { display: block; color: var(--soft); }
figure div { display: flex; flex-wrap: wrap; gap: .3rem .4rem; } figure span { white-space: nowrap; }
figure img { width: auto; height: 44px; image-rendering: pixelated; border-radius: 3px; margin-right: 2px; }
@media (max-width: 30rem) { td, th { font-size: .82rem; padding-right: .55rem; } }
svg { background: var(--panel); } text { fill: var(--soft); font-size: 11px; }
line { stroke: var(--soft); } circle { fill: var(--accent); fill-opacity: .6; } polyline { stroke: var(--accent); }
"""


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a text table; a column is as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    return "\n".join(f"| {' | '.join(line)} |" for line in [head, ["---"] * len(head), *rows])


class Html(str):
    """Text that is HTML already; any other text is escaped before it becomes part of HTML."""


def html_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Html:
    """A table in HTML; cells are escaped unless they are `Html`."""
    lines = ["".join(f"<th>{_escaped(cell)}</th>" for cell in head)]
    lines += ["".join(f'<td style="text-align:left">{_escaped(cell)}</td>' for cell in row) for row in rows]
    return Html("<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>")


def paragraphs(*parts: str) -> Html:
    """Paragraphs of text, with `Html` such as tables between them."""
    return Html("".join(part if isinstance(part, Html) else f"<p>{_escaped(part)}</p>" for part in parts))


def html_list(items: Iterable[str]) -> Html:
    """A list in HTML; items are escaped."""
    return Html("<ul>" + "".join(f"<li>{_escaped(item)}</li>" for item in items) + "</ul>")


def html_page(title: str, body: Html) -> str:
    """A page with a title and a body that works offline and needs no script."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{_escaped(title)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head>'
        f"<body><h1>{_escaped(title)}</h1>{body}</body></html>"
    )


def bar(length: float, width: int = 160) -> Html:
    """A horizontal bar; a length of 1 is `width` pixels, and lengths above 3 are cut."""
    colour = DIVERGING[1] if length <= 1 else DIVERGING[5]
    pixels = max(round(width * min(length, 3)), 1)
    return Html(f'<div style="width:{pixels}px;height:10px;background:{colour}"></div>')


def heat_map(matrix: Tensor, height: int = 72) -> Html:
    """A matrix (rows, columns) in the colours of `DIVERGING`, scaled to its largest entry, `height` pixels high."""
    values = matrix.detach().cpu().double()
    stops = torch.tensor([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in DIVERGING], dtype=torch.float64)
    position = (values / (float(values.abs().max()) or 1.0) + 1) / 2 * (len(stops) - 1)
    lower = position.floor().clamp(0, len(stops) - 2).long()
    fraction = (position - lower)[..., None]
    pixels = stops[lower] * (1 - fraction) + stops[lower + 1] * fraction
    return Html(
        f'<img src="{png_address(pixels / 255)}" height="{height}" alt="{len(values)}x{values.shape[1]} matrix" '
        'style="image-rendering:pixelated">'
    )


def png_address(image: Tensor) -> str:
    """The data address of an image as PNG, with values from 0 to 1: (n, m) in grey or (n, m, 3) in colour."""
    from PIL import Image

    pixels = (image.detach().cpu().clamp(0, 1) * 255).round().byte()
    buffer = io.BytesIO()
    Image.fromarray(pixels.contiguous().numpy()).save(buffer, "PNG", optimize=True)
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"


def _escaped(text: str) -> str:
    return text if isinstance(text, Html) else html.escape(text)
