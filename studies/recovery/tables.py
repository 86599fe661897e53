"""The tables of docs/evidence/recovery.md."""

from collections import Counter
from functools import partial
from typing import Any

from studies.render import Results, cells_table, times
from studies.tables import (
    Columns,
    Record,
    Table,
    among,
    distinct,
    entries,
    ordered,
    percent,
    table,
    values,
    where,
    yes_no,
)

FOUND = 1e-3  # the relative error up to which a planted generator counts as found
LEARNED = 0.1  # the same for a generator that was learned from random starts


def planted(noise: float, results: Results) -> Table:
    """The largest error over seeds, by task, method and number of sets; without noise also how many are found."""
    found = where(results.cells("planted"), noise=noise)

    def outcome(group: list[Record]) -> str:
        errors = values(group, "error")
        hits = f", {sum(error <= FOUND for error in errors)} of {len(errors)}" if noise == 0 else ""
        return f"{max(errors):.1e}{hits}" if errors else ""

    columns: Columns = {
        f"{method}, K={sets}": among(outcome, method=method, sets=sets)
        for method in distinct(found, "method")
        for sets in distinct(found, "sets")
    }
    return table(found, "task", {"task": "{task}", **columns})


def _findings(group: list[Record]) -> str:
    analysed = [cell for cell in group if "nearest" in cell]
    beyond = Counter(cell["nearest"][0] for cell in analysed if cell["nearest_p"][0] <= 0.05)
    return ", ".join(f"{name} {count} of {len(analysed)}" for name, count in beyond.most_common())


def trials(results: Results) -> Table:
    columns: Columns = {
        "images": "{images}",
        "patch": "{patch}x{patch}",
        **entries("family", "setting"),
        "found": "{found} of {starts}",
        "error": "{error:.3f}",
        "ratio": "{ratio:.2f}",
    }
    return table(results.stored("learned")["cells"], str, columns)


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


OURS = {"method": "commutators"}
TABLES = {
    **{f"planted-{noise * 100:.0f}": partial(planted, noise) for noise in (0.0, 0.01, 0.1)},
    "maximum": cells_table(
        "maximum",
        by=("sets", "seed", "method"),
        columns={
            "task": "{task}, K={sets}, seed {seed}",
            "method": "{method}",
            "error": ("first", "error", ".1e", "none"),
            "sets solved": lambda rows: (rows[0]["solved_sets"] and "{solved_sets} of {sets}".format(**rows[0])) or "",
            "seconds": "{processor_seconds:.1f}",
        },
    ),
    "views": cells_table(
        "views",
        by=("data", "task"),
        columns={
            "task": "{data}, {task}",
            "right dimension": among(("true", "right_dimension"), **OURS),
            "dimension": among("{dimension}", **OURS),
            "eigengap": among(("range", "eigengap", ".2g"), **OURS),
            "worst error": among(("most", "error", ".1e", "none claimed"), **OURS),
            "paper's nearest": among(("least", "error", ".1e", "none"), method="paper"),
        },
    ),
    "labels": cells_table(
        "labels",
        by=("task", "method"),
        records=lambda found: ordered(found, "task", "method"),
        columns={
            "images": "{task}",
            "method": "{method}",
            "accuracy": ("mean", percent("accuracy"), ".1f"),
            "of all seeds": ("range", percent("accuracy"), ".1f"),
            "parameters": "{parameters:,}",
        },
    ),
    "affine": cells_table(
        "labels",
        by=("task", "seed"),
        records=lambda found: where(ordered(found, "task"), method="affine"),
        columns={
            "images": "{task}, seed {seed}",
            "degrees": "{degrees:.2f}",
            "of fresh seeds": lambda rows: "{:.1f} to {:.1f}".format(
                min(rows[0]["retrained_degrees"]), max(rows[0]["retrained_degrees"])
            ),
            "scale": "{scale:.3f}",
            "stretch": "{stretch:.3f}",
            "shear": "{shear:.3f}",
            "points above free": lambda rows: "{:+.1f} +- {:.1f}".format(
                100 * rows[0]["advantage"], 100 * rows[0]["standard_error"]
            ),
            "p": "{p_value:.1e}",
            "claimed": ("first", yes_no("claimed")),
        },
    ),
    "learned": cells_table(
        "learned",
        by=("task", "method", "starts"),
        records=lambda found: ordered(found, "task"),
        columns={
            "images": "{task}",
            "family": "{method}",
            "starts": "{starts}",
            "accuracy": ("mean", percent("accuracy"), ".1f"),
            "of all seeds": ("range", percent("accuracy"), ".1f"),
            "found": ("true", lambda cell: cell["error"] < LEARNED),
            "errors": ("range", "error", ".3f"),
            "claimed": ("true", lambda cell: cell["verdict"] == "kept" if "verdict" in cell else None),
            "finding": _findings,
        },
    ),
    "trials": trials,
    "summary": summary,
    "time": times,
}
