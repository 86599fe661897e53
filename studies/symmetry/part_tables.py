"""The tables of the parts of the benchmark, each from the cells that were measured."""

import textwrap
from statistics import mean
from typing import Any

from lgn.discovery.images.verdict import LEVEL
from lgn.text import markdown_table
from studies.symmetry.sets import CASES

Cells = list[dict[str, Any]]


def verdicts_table(cells: Cells) -> str:
    lines = [["images", "candidates", "told apart", "rows", "right", "others"]]
    for name, some in _grouped(cells).items():
        for label, rows in _classed(some).items():
            known = [row for row in rows if row["truth"] is not None]
            right = sum(row["verdict"] == row["truth"] for row in known)
            others = sorted(
                {f"{row['name']} {row['verdict']}" for row in rows if row["truth"] not in (None, row["verdict"])}
            )
            told = mean(row["told_apart"] for row in rows)
            span = f"{told:.3f}"
            if not known:
                verdicts = [row["verdict"] for row in rows]
                others = [f"{word} {verdicts.count(word)}" for word in sorted(set(verdicts))]
            lines.append(
                [
                    name,
                    label,
                    span,
                    str(len(rows)),
                    f"{right} of {len(known)}" if known else "not counted",
                    "; ".join(others),
                ]
            )
    return markdown_table(lines[0], lines[1:])


def _grouped(cells: Cells) -> dict[str, Cells]:
    """By image set and count, in the order of the cases, whichever was measured first."""
    order = {name: place for place, name in enumerate(CASES)}
    groups: dict[str, Cells] = {}
    for cell in sorted(
        cells, key=lambda cell: (cell["key"].get("count", 0), order.get(cell["key"]["images"], 0), cell["key"]["seed"])
    ):
        count = f", {cell['key']['count']:,} images" if "count" in cell["key"] else ""
        groups.setdefault(cell["key"]["images"] + count, []).append(cell)
    return groups


def _classed(cells: Cells) -> dict[str, Cells]:
    """Rows by family and truth."""
    groups: dict[str, Cells] = {}
    for cell in cells:
        for row in cell["rows"]:
            truth = {"kept": "kept", "broken": "broken", None: "not known"}[row["truth"]]
            kind = row["family"]
            if kind == "turns and flips":
                kind = "turns" if row["name"].startswith("turn") else "flips"
            groups.setdefault(f"{kind}, {truth}", []).append(row)
    return groups


def left_right_table(cells: Cells) -> str:
    lines = [["seed", "told apart", "interval", "control", "verdict"]]
    for cell in cells:
        row = cell["rows"][0]
        low, high = row["interval"]
        verdict = f"{row['verdict']}, a trace" if cell["trace"] else row["verdict"]
        control = cell["controls"]["turns and flips"]
        lines.append(
            [
                str(cell["key"]["seed"]),
                f"{row['told_apart']:.3f}",
                f"{low:.3f} to {high:.3f}",
                f"{control or '-'}",
                verdict,
            ]
        )
    return f"{markdown_table(lines[0], lines[1:])}\n\n{_trace(cells)}"


def _trace(cells: Cells) -> str:
    """Whether the seeds, which share the images that judge, show that there is something; and why verdicts differ."""
    rows = [cell["rows"][0] for cell in cells]
    least = min(len(rows) * min(row["p_value"] for row in rows), 1.0)
    told = mean(row["told_apart"] for row in rows)
    control = mean(cell["controls"]["turns and flips"] for cell in cells)
    real = "there is a trace" if least <= LEVEL else "a trace is not shown"
    words = (
        f"The smallest p-value, times the number of seeds, is {least:.2g}: {real}. Its size, {told - 0.5:.3f} beyond "
        f"one half, is {(told - 0.5) / (control - 0.5):.0%} of what a break of the margin reads here ({control:.3f}), "
        "near the half of it below which a trace is called kept: so which of the two words is said is a matter of the "
        "draw. The sentence of an answer says of such a break that it is faint."
    )
    return textwrap.fill(words, 118)


def partial_table(cells: Cells) -> str:
    lines = [["images", "along", "seed", "told apart", "within", "planted"]]
    for cell in cells:
        for line, found in cell["lines"].items():
            told = f"{found['told_apart'][0]:.3f} to {found['told_apart'][-1]:.3f}"
            ends = ["-" if end is None else f"{end:.3g}" for end in (found["within"], cell["planted"])]
            lines.append([cell["key"]["images"], line, str(cell["key"]["seed"]), told, *ends])
    return markdown_table(lines[0], lines[1:])


def tasks_table(cells: Cells) -> str:
    lines = [["task", "seed", "", "images", "labels", "accuracy on x, on T x", "permutation"]]
    for cell in cells:
        for row in cell["rows"]:
            accuracy = "-" if row["accuracy"] is None else f"{row['accuracy']:.3f}, {row['transformed']:.3f}"
            lines.append(
                [
                    cell["key"]["task"],
                    str(cell["key"]["seed"]),
                    row["name"],
                    row["verdict"],
                    row["labels"] or "-",
                    accuracy,
                    " ".join(map(str, row["permutation"])) or "-",
                ]
            )
    return markdown_table(lines[0], lines[1:])


def gains_table(cells: Cells) -> str:
    lines = [["images", "orbits of", "seed", "points", "claimed", "wanted"]]
    for cell in cells:
        key = cell["key"]
        lines.append(
            [
                key["images"],
                key["candidate"],
                str(key["seed"]),
                f"{cell['points']:+.2f} +- {cell['error']:.2f}",
                "yes" if cell["claimed"] else "no",
                "yes" if cell["wanted"] else "no",
            ]
        )
    return markdown_table(lines[0], lines[1:])


TABLES = dict.fromkeys(("images", "later", "slight", "angles", "few"), verdicts_table) | {
    "left-right": left_right_table,
    "partial": partial_table,
    "tasks": tasks_table,
    "gains": gains_table,
}
