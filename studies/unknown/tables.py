"""The tables of docs/evidence/unknown.md."""

from functools import partial
from pathlib import Path

from lgn.stats import clopper_pearson
from studies.render import (
    Record,
    Table,
    cells,
    first,
    largest,
    number,
    result,
    smallest,
    table,
    times,
    total,
)

NAME = "unknown"
ENOUGH = 50_000  # samples, from which on planted groups should be found


def name(cell: Record) -> str:
    """The name of a search: its task or data, then its other settings."""
    words = {"samples": "{1:,} {0}", "rank": "{0} {1}"}
    shown = {key: value for key, value in cell["key"].items() if key not in ("part", "seed", "data")}
    return ", ".join(words.get(key, "{1}").format(key, value) for key, value in shown.items())


def searches(part: str, results: Path) -> Table:
    found = [_flat(cell) for cell in cells(results, NAME, part)]
    columns = {
        "": first("name"),
        "searches": number,
        "found": total("found"),
        "wrong": total(lambda cell: cell["wrong"] > 0),
        "undecided": total(lambda cell: cell["undecided"] > 0),
        "worst error": largest("error"),
        "cosine": smallest("cosine"),
        "ratio": largest("ratio"),
    }
    if "classes_right" in found[0]:
        columns["classes right"] = total(lambda cell: cell["classes_seen"] if cell["classes_right"] else 0)
    return table(found, "name", columns)


def _flat(cell: Record) -> Record:
    """A search with the worst of its errors, cosines and ratios."""
    cosines = [abs(value) for value in cell["generator_cosines"] or cell["cosines"] if value is not None]
    worst = {
        "error": max(cell["errors"], default=None),
        "cosine": min(cosines, default=None),
        "ratio": max(cell["ratios"], default=None),
    }
    return {**cell, **worst, "name": name(cell)}


def rates(results: Path) -> Table:
    """The number of searches with a wrong claim, the rate that it allows, and the number of planted groups found."""
    found = [{**cell, **cell["key"]} for cell in result(results, NAME)["cells"] if "wrong" in cell]
    planted = [cell for cell in found if cell["part"] == "planted" and cell["samples"] >= ENOUGH]
    wrong = sum(cell["wrong"] > 0 for cell in found)
    most = clopper_pearson(wrong, len(found), 0.90)[1]  # one-sided at 95 %
    headings = ["searches", "with a wrong claim", "at most, with 95 % confidence", "planted groups found"]
    counts = [str(len(found)), str(wrong), f"{100 * most:.1f} %"]
    return Table(headings, [[*counts, f"{sum(cell['found'] for cell in planted)} of {len(planted)}"]])


def cost(results: Path) -> Table:
    columns = {
        "rank": first("rank"),
        "samples": first("samples", ","),
        "starts": first("starts"),
        "seconds": first("wall_seconds", ".1f"),
        "of processor": first("search_processor_seconds", ".1f"),
        "MB": first("megabytes", ".0f"),
        "claims": first("claims"),
    }
    return table(cells(results, NAME, "cost"), ("rank", "samples"), columns)


TABLES = {part: partial(searches, part) for part in ("controls", "natural", "planted", "task")} | {
    "rates": rates,
    "cost": cost,
    "time": times(NAME),
}
