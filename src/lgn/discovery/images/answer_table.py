"""An answer as a table: for a terminal, for a notebook, and cell by cell for a page."""

from html import escape

from lgn.actions import size_text
from lgn.discovery.images.result import Symmetries
from lgn.discovery.images.row import Row
from lgn.discovery.images.words import geometry_words, is_faint

HEAD = ("", "images", "told apart", "95 %", "labels", "a network")
_ALWAYS = 4  # columns that are shown even if they are empty


def cells(found: Symmetries) -> list[tuple[str, ...]]:
    """The head, and one line for each candidate; without columns of which nothing was asked."""
    lines: list[tuple[str, ...]] = []
    for row in found.rows:
        low, high = row.interval
        word = (
            f"{row.images}, a trace" if row.trace else f"{row.images}, faintly" if is_faint(found, row) else row.images
        )
        told, interval = f"{row.told_apart:.3f}", f"{low:.3f} to {high:.3f}"
        lines.append((row.name, word, told, interval, _labels(row), _network(row)))
    head = (HEAD[0], found.kind, *HEAD[2:])
    used = [i for i in range(len(HEAD)) if i < _ALWAYS or any(line[i] != "-" for line in lines)]
    return [tuple(line[i] for i in used) for line in (head, *lines)]


def _labels(row: Row) -> str:
    about = row.label_evidence
    if about is None:
        return "-"
    return f"{about.word} ({100 * about.accuracy:.1f}, {100 * about.transformed:.1f} %)"


def _network(row: Row) -> str:
    return "-" if row.gain is None else f"{row.gain.points:+.1f} +- {row.gain.error:.1f} points"


def header(found: Symmetries) -> str:
    """What the answer is about."""
    classes = f", {len(found.class_names)} classes" if found.class_names else ""
    channels = f"{found.shape[0]} channels of " if found.kind == "signals" and found.shape[0] > 1 else ""
    return f"{found.kind}: {found.count:,} of {channels}{size_text(found.shape[1:])}{classes}"


def table(found: Symmetries) -> str:
    """The table for a terminal, the sentence last."""
    rows = cells(found)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    return "\n".join([header(found), *lines, *control_lines(found), *found.notes, "", found.sentence])


def control_lines(found: Symmetries) -> list[str]:
    """How power was measured, and what a network learned by itself."""
    said = []
    if found.learned is not None:
        claimed = "" if found.learned.claimed else "not "
        said.append(
            f"The affine map that {found.learned.starts} starts led to: {geometry_words(found.learned)}, "
            f"{found.learned.points:+.1f} +- {found.learned.error:.1f} points over free filters, {claimed}claimed."
        )
    return said + [
        f"A break of {facts.name} that the best observer would tell at {0.5 + found.margin:.2f} reads "
        f"{facts.control:.3f} here."
        for facts in found.families
        if facts.control is not None
    ]


def html(found: Symmetries) -> str:
    """For a notebook."""
    first, *lines = cells(found)
    head = "".join(f"<th style='text-align:left'>{escape(word)}</th>" for word in first)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in line)}</tr>" for line in lines)
    notes = "".join(f"<p>{escape(note)}</p>" for note in [*control_lines(found), *found.notes])
    return (
        f"<div><p><b>{escape(found.sentence)}</b></p><p>{escape(header(found))}</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}</div>"
    )
