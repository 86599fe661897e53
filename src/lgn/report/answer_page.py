"""An answer as a page of its own: signals as lines, images as they are, volumes as slices. No script is needed."""

from dataclasses import dataclass
from html import escape
from pathlib import Path

from torch import Tensor

from lgn.files import write_atomic
from lgn.text import heat_map, png_address

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
WIDTH, HEIGHT = 160, 56


@dataclass(frozen=True, eq=False)
class Sample:
    """A few images under one transformation, in [0, 1], and how often they are told from themselves.

    Grey ones are (count, n, m), those in colour (count, n, m, 3). Signals are (count, T) and volumes (count,
    D, H, W), of any numbers.
    """

    name: str
    told_apart: float
    images: Tensor


@dataclass(frozen=True, eq=False)
class Answer:
    """Which symmetries the images have: the sentence first, a table, and images to see it by."""

    sentence: str
    #: What was asked about, in a line.
    about: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    #: The images themselves, as in a sample, and their transformed versions, the most told apart first.
    originals: Tensor | None = None
    samples: tuple[Sample, ...] = ()
    #: For each family with a parameter its name, the parameters, and the shares told apart.
    profiles: tuple[tuple[str, tuple[float, ...], tuple[float, ...]], ...] = ()


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
    shown += [_profile(*each) for each in answer.profiles]
    text = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{STYLE}</style></head><body><h1>{escape(answer.sentence)}</h1><p>{escape(answer.about)}</p>"
        f'<div class="columns"><div class="scrolled"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
        f"<ul>{notes}</ul></div><div>{''.join(shown)}</div></div></body></html>"
    )
    write_atomic(path, text.encode())
    return path


def _figure(name: str, told: float | None, images: Tensor, most: float) -> str:
    note = "" if told is None else f" <small>told apart {told:.3f}</small>"
    drawn = "".join(f"<span>{_drawn(each, most, f'{number}, {name}')}</span>" for number, each in enumerate(images, 1))
    return f"<figure><figcaption>{escape(name)}{note}</figcaption><div>{drawn}</div></figure>"


def _profile(name: str, at: tuple[float, ...], told: tuple[float, ...]) -> str:
    """How often versions are told apart, by how far they are from each other: one half lies at the lower line."""
    width, height, low, high = 2 * WIDTH, 2 * HEIGHT, at[0], max(at[-1], at[0] + 1e-9)
    places = [
        ((x - low) / (high - low) * (width - 20) + 10, (1 - y) / 0.5 * (height - 40) + 10)
        for x, y in zip(at, told, strict=True)
    ]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return (
        f"<figure><figcaption>{escape(name)}<small>told apart {told[0]:.3f} to {told[-1]:.3f}</small></figcaption><div>"
        f'<svg width="{width}" height="{height}" role="img" aria-label="told apart, {escape(name)}">'
        f'<line x1="0" y1="{height - 30}" x2="{width}" y2="{height - 30}"/>'
        f'<polyline points="{points}" fill="none" stroke-width="1.5"/>'
        f'<text x="10" y="{height - 8}">{at[0]:g}</text>'
        f'<text x="{width - 10}" y="{height - 8}" text-anchor="end">{at[-1]:g}</text></svg></div></figure>'
    )


def _drawn(each: Tensor, most: float, name: str) -> str:
    """A signal (T,) as a line, an image (n, m) or (n, m, 3) as it is, a volume as its middle slice across each axis."""
    if each.ndim == 1:
        return _line(each, most)
    if each.ndim == 2 or each.shape[2] == 3:  # no side of a volume is as short as that
        return f'<img src="{png_address(each)}" alt="image {escape(name)}">'
    return "".join(str(heat_map(each.select(axis, each.shape[axis] // 2))) for axis in range(3))


def _line(values: Tensor, most: float) -> str:
    step, middle = WIDTH / max(len(values) - 1, 1), HEIGHT / 2
    heights = (middle - values / most * (middle - 2)).tolist()
    points = " ".join(f"{step * place:.1f},{height:.1f}" for place, height in enumerate(heights))
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" role="img" aria-label="a signal of {len(values)} values">'
        f'<line x1="0" y1="{middle}" x2="{WIDTH}" y2="{middle}"/>'
        f'<polyline points="{points}" fill="none" stroke-width="1.2"/></svg>'
    )
