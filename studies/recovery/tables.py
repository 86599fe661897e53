"""The tables of docs/evidence/recovery.md."""

from collections import Counter
from functools import partial
from typing import Any

from studies.render import Maker, Results, times
from studies.tables import Columns, Record, Table, among, distinct, ordered, table, where

FOUND = 1e-3  # the relative error up to which a planted generator counts as found
LEARNED = 0.1  # the same for a generator that was learned from random starts


def planted(noise: float, results: Results) -> Table:
    """The largest error over seeds, by task, method and number of sets; without noise also how many are found."""
    found = where(results.cells("planted"), noise=noise)

    def outcome(group: list[Record]) -> str:
        errors = [cell["error"] for cell in group]
        hits = f", {sum(error <= FOUND for error in errors)} of {len(errors)}" if noise == 0 else ""
        return f"{max(errors):.1e}{hits}" if errors else ""

    columns: Columns = {
        f"{method}, K={sets}": among(outcome, method=method, sets=sets)
        for method in distinct(found, "method")
        for sets in distinct(found, "sets")
    }
    return table(found, "task", {"task": "{task}", **columns})


def maximum(results: Results) -> list[Record]:
    cells = results.cells("maximum")
    return [{**cell, "solved": cell["solved_sets"] and f"{cell['solved_sets']} of {cell['sets']}"} for cell in cells]


def views(results: Results) -> list[Record]:
    cells = results.cells("views")
    return [{**cell, "papers": cell["error"], "error": None} if cell["method"] == "paper" else cell for cell in cells]


def affine(results: Results) -> list[Record]:
    cells = where(ordered(results.cells("labels"), "task"), method="affine")
    return [{**cell, "low": min(cell["retrained_degrees"]), "high": max(cell["retrained_degrees"])} for cell in cells]


def learned(results: Results) -> Table:
    cells = ordered(results.cells("learned"), "task")
    found = [{**cell, "right": cell["error"] < LEARNED, "kept": cell.get("claimed")} for cell in cells]
    columns: Columns = {
        "images": "{task}",
        "family": "{method}",
        "starts": "{starts}",
        "accuracy": "{mean accuracy:.1p}",
        "of all seeds": "{range accuracy:.1p}",
        "found": "{true right}",
        "errors": "{range error:.3f}",
        "claimed": "{true kept}",
        "finding": _findings,
    }
    return table(found, ("task", "method", "starts"), columns)


def _findings(group: list[Record]) -> str:
    analysed = [cell for cell in group if "nearest" in cell]
    beyond = Counter(cell["nearest"][0] for cell in analysed if cell["nearest_p"][0] <= 0.05)
    return ", ".join(f"{name} {count} of {len(analysed)}" for name, count in beyond.most_common())


def summary(results: Results) -> Table:
    """How often planted generators are found, by `lgn.discovery` and by the paper's training."""

    def found(good: str, part: str, **wanted: Any) -> str:
        chosen = where(results.cells(part), **wanted)
        hits = sum(cell["error"] <= FOUND if good == "error" else cell[good] for cell in chosen)
        return f"{hits} of {len(chosen)}"

    def both(part: str, method: str, **wanted: Any) -> list[str]:
        return [found("error", part, method=name, **wanted) for name in (method, "paper")]

    affine, cyclic = {"method": "affine"}, {"method": "cyclic", "starts": 6}
    rows = {
        "a generator planted in filters, no noise: found": both("planted", "least-squares", noise=0.0),
        "the same, seen through a maximum: found": both("maximum", "max-affine"),
        "views of images: the right group, or none": [found("right_dimension", "views", method="commutators"), ""],
    }
    for title, part, task, wanted in (
        ("labels, turned images: a symmetry is claimed", "labels", "quarter turns", affine),
        ("labels, upright images: a symmetry is claimed", "labels", "upright", affine),
        ("learned from random matrices, turned images: claimed", "learned", "quarter turns", cyclic),
        ("the same, upright images: claimed", "learned", "upright", cyclic),
    ):
        rows[title] = [found("claimed", part, task=task, **wanted), ""]
    return Table(["", "`lgn`", "the paper's training"], [[name, *texts] for name, texts in rows.items()])


TABLES: dict[str, Maker] = {
    **{f"planted-{noise * 100:.0f}": partial(planted, noise) for noise in (0.0, 0.01, 0.1)},
    "maximum": maximum,
    "views": views,
    "labels": lambda results: ordered(results.cells("labels"), "task", "method"),
    "affine": affine,
    "learned": learned,
    "trials": lambda results: results.stored("learned")["cells"],
    "summary": summary,
    "time": times,
}
