"""An answer as a page of its own: signals as lines, images as they are, volumes as slices. No script is needed."""

from html import escape
from pathlib import Path

from torch import Tensor

from lgn import notebook
from lgn.report.contents import Answer
from lgn.whole_files import write_whole

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #1f2430; }
h1 { font-size: 1.3rem; } table { border-collapse: collapse; margin: 1rem 0; }
td, th { text-align: left; padding: .25rem .9rem .25rem 0; border-bottom: 1px solid #dde1e8; }
figure { margin: 1.2rem 0; } figcaption { font-weight: 600; } figcaption small { font-weight: 400; color: #667085; }
figure div { display: flex; flex-wrap: wrap; gap: .6rem 1rem; margin-top: .4rem; } figure span { white-space: nowrap; }
figure img { margin-right: 3px; } svg { background: #f5f7fa; }
"""
WIDTH, HEIGHT = 160, 56


def write_answer(answer: Answer, title: str, path: Path) -> Path:
    """The page as one file, whole or not at all."""
    cells = [[escape(cell) for cell in row] for row in (answer.head, *answer.rows)]
    head = "".join(f"<th>{cell}</th>" for cell in cells[0])
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in cells[1:])
    notes = "".join(f"<li>{escape(note)}</li>" for note in answer.notes)
    shown = []
    if answer.originals is not None:
        most = float(answer.originals.abs().max()) or 1.0
        rows: list[tuple[str, float | None, Tensor]] = [("as they are", None, answer.originals)]
        rows += [(sample.name, sample.told_apart, sample.images) for sample in answer.samples]
        shown = [_figure(name, told, images, most) for name, told, images in rows]
    text = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{escape(title)}</title>'
        f"<style>{STYLE}</style></head><body><h1>{escape(answer.sentence)}</h1><p>{escape(answer.about)}</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><ul>{notes}</ul>{''.join(shown)}"
        "</body></html>"
    )
    write_whole(path, text.encode())
    return path


def _figure(name: str, told: float | None, images: Tensor, most: float) -> str:
    note = "" if told is None else f" <small>told apart {told:.3f}</small>"
    drawn = "".join(f"<span>{_drawn(each, most)}</span>" for each in images)
    return f"<figure><figcaption>{escape(name)}{note}</figcaption><div>{drawn}</div></figure>"


def _drawn(each: Tensor, most: float) -> str:
    """A signal (T,) as a line, an image (n, m) as it is, a volume (D, H, W) as its middle slice across each axis."""
    if each.ndim == 1:
        return _line(each, most)
    slices = [each] if each.ndim == 2 else [each.select(axis, each.shape[axis] // 2) for axis in range(3)]
    return "".join(str(notebook.picture(part)) for part in slices)


def _line(values: Tensor, most: float) -> str:
    step, middle = WIDTH / max(len(values) - 1, 1), HEIGHT / 2
    heights = (middle - values / most * (middle - 2)).tolist()
    points = " ".join(f"{step * place:.1f},{height:.1f}" for place, height in enumerate(heights))
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" role="img" aria-label="a signal of {len(values)} values">'
        f'<line x1="0" y1="{middle}" x2="{WIDTH}" y2="{middle}" stroke="#cfd5de"/>'
        f'<polyline points="{points}" fill="none" stroke="#2563a8" stroke-width="1.2"/></svg>'
    )
