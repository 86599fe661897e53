"""The tables of docs/evidence/recovery.md."""

from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

from studies.render import (
    Record,
    Table,
    among,
    average,
    cells,
    distinct,
    entries,
    first,
    largest,
    ordered,
    percent,
    result,
    share,
    smallest,
    span,
    table,
    times,
    values,
    where,
    yes_no,
)

NAME = "recovery"
FOUND = 1e-3  # the relative error up to which a planted generator counts as found
LEARNED = 0.1  # the same for a generator that was learned from random starts


def planted(noise: float, results: Path) -> Table:
    """The worst error over seeds, by task, method and number of sets; without noise also how many are found."""
    found = where(cells(results, NAME, "planted"), noise=noise)

    def outcome(group: list[Record]) -> str:
        errors = values(group, "error")
        hits = f", {sum(error <= FOUND for error in errors)} of {len(errors)}" if noise == 0 else ""
        return f"{max(errors):.1e}{hits}" if errors else ""

    columns = {
        f"{method}, K={sets}": among(outcome, method=method, sets=sets)
        for method in distinct(found, "method")
        for sets in distinct(found, "sets")
    }
    return table(found, "task", {"task": first("task"), **columns})


def maximum(results: Path) -> Table:
    columns = {
        "task": first(lambda cell: f"{cell['task']}, K={cell['sets']}, seed {cell['seed']}"),
        "method": first("method"),
        "error": first("error", ".1e", "none"),
        "sets solved": first(lambda cell: cell["solved_sets"] and f"{cell['solved_sets']} of {cell['sets']}"),
        "seconds": first("processor_seconds", ".1f"),
    }
    return table(cells(results, NAME, "maximum"), ("sets", "seed", "method"), columns)


def views(results: Path) -> Table:
    ours = {"method": "commutators"}
    columns = {
        "task": first(lambda cell: f"{cell['data']}, {cell['task']}"),
        "right dimension": among(share("right_dimension"), **ours),
        "dimension": among(first("dimension"), **ours),
        "eigengap": among(span("eigengap", ".2g"), **ours),
        "worst error": among(largest("error", ".1e", "none claimed"), **ours),
        "paper's nearest": among(smallest("error", ".1e", "none"), method="paper"),
    }
    return table(cells(results, NAME, "views"), ("data", "task"), columns)


def labels(results: Path) -> Table:
    found = ordered(cells(results, NAME, "labels"), "task", "method")
    columns = {
        "images": first("task"),
        "method": first("method"),
        "accuracy": average(percent("accuracy"), ".1f"),
        "of all seeds": span(percent("accuracy"), ".1f"),
        "parameters": first("parameters", ","),
    }
    return table(found, ("task", "method"), columns)


def affine(results: Path) -> Table:
    """What the search over affine generators found, by task and seed."""
    columns = {
        "images": first(lambda cell: f"{cell['task']}, seed {cell['seed']}"),
        "degrees": first("degrees", ".2f"),
        "of fresh seeds": first(_retrained),
        "scale": first("scale", ".3f"),
        "stretch": first("stretch", ".3f"),
        "shear": first("shear", ".3f"),
        "points above free": first(
            lambda cell: f"{100 * cell['advantage']:+.1f} +- {100 * cell['standard_error']:.1f}"
        ),
        "p": first("p_value", ".1e"),
        "claimed": first(yes_no("claimed")),
    }
    found = ordered(cells(results, NAME, "labels"), "task")
    return table(where(found, method="affine"), ("task", "seed"), columns)


def _retrained(cell: Record) -> str:
    degrees = cell["retrained_degrees"]
    return f"{min(degrees):.1f} to {max(degrees):.1f}"


def learned(results: Path) -> Table:
    columns = {
        "images": first("task"),
        "family": first("method"),
        "starts": first("starts"),
        "accuracy": average(percent("accuracy"), ".1f"),
        "of all seeds": span(percent("accuracy"), ".1f"),
        "found": share(lambda cell: cell["error"] < LEARNED),
        "errors": span("error"),
        "claimed": share(lambda cell: cell["verdict"] == "kept" if "verdict" in cell else None),
        "finding": _findings,
    }
    return table(ordered(cells(results, NAME, "learned"), "task"), ("task", "method", "starts"), columns)


def _findings(group: list[Record]) -> str:
    """The nearest known operators of claimed generators, where they are beyond chance."""
    analysed = [cell for cell in group if "nearest" in cell]
    beyond = Counter(cell["nearest"][0] for cell in analysed if cell["nearest_p"][0] <= 0.05)
    return ", ".join(f"{name} {count} of {len(analysed)}" for name, count in beyond.most_common())


def trials(results: Path) -> Table:
    """Single runs with different settings of the moment loss."""
    columns = {
        "images": first("images"),
        "patch": first(lambda cell: "{patch}x{patch}".format(**cell)),
        **entries("family", "setting"),
        "found": first(lambda cell: f"{cell['found']} of {cell['starts']}"),
        "error": first("error", ".3f"),
        "ratio": first("ratio", ".2f"),
    }
    return table(result(results, "learned")["cells"], str, columns)


def summary(results: Path) -> Table:
    """How often planted generators are found, by `lgn.discovery` and by the paper's training."""

    def found(good: str, part: str, **wanted: Any) -> str:
        chosen = where(cells(results, NAME, part), **wanted)
        hits = sum(cell["error"] <= FOUND if good == "error" else cell[good] for cell in chosen)
        return f"{hits} of {len(chosen)}"

    def claimed(part: str, task: str, **wanted: Any) -> list[str]:
        return [found("claimed", part, task=task, **wanted), ""]

    def both(part: str, method: str, **wanted: Any) -> list[str]:
        return [found("error", part, method=each, **wanted) for each in (method, "paper")]

    rows = {
        "a generator planted in filters, no noise: found": both("planted", "least-squares", noise=0.0),
        "the same, seen through a maximum: found": both("maximum", "max-affine"),
        "views of images: the right group, or none": [found("right_dimension", "views", method="commutators"), ""],
        "labels, turned images: a symmetry is claimed": claimed("labels", "quarter turns", method="affine"),
        "labels, upright images: a symmetry is claimed": claimed("labels", "upright", method="affine"),
        "learned from random matrices, turned images: claimed": claimed(
            "learned", "quarter turns", method="cyclic", starts=6
        ),
        "the same, upright images: claimed": claimed("learned", "upright", method="cyclic", starts=6),
    }
    return Table(["", "`lgn`", "the paper's training"], [[name, *cells_] for name, cells_ in rows.items()])


TABLES = {
    **{f"planted-{noise * 100:.0f}": partial(planted, noise) for noise in (0.0, 0.01, 0.1)},
    "maximum": maximum,
    "views": views,
    "labels": labels,
    "affine": affine,
    "learned": learned,
    "trials": trials,
    "summary": summary,
    "time": times(NAME),
}
