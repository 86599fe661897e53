"""The tables of docs/evidence/signals.md."""

from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import mean

from studies.render import (
    Record,
    Table,
    among,
    average,
    cells,
    counts,
    distinct,
    first,
    largest,
    ordered,
    table,
    times,
)

NAME = "signals"


def planted(results: Path) -> Table:
    found = cells(results, NAME, "planted")
    noises = {
        f"noise {noise:g}" if noise else "no noise": among(largest("error", ".1e"), noise=noise)
        for noise in sorted(distinct(found, "noise"))
    }
    columns = {
        "operator": first("operator"),
        "patch": first(lambda cell: "x".join(map(str, cell["patch"]))),
        **noises,
        "seeds": lambda group: str(len(distinct(group, "seed"))),
    }
    return table(found, "operator", columns)


def signals(results: Path) -> Table:
    columns = {
        "signals": first("signals"),
        "": first("name"),
        "truth": first("truth"),
        "verdicts": counts("verdict"),
        "told apart": average("told_apart"),
        "a break of the margin": average(lambda row: row["controls"].get(row["name"]), ".3f", "-"),
    }
    return table(_rows(cells(results, NAME, "signals")), ("signals", "name"), columns)


def _rows(found: list[Record]) -> Iterable[Record]:
    """The rows of cells, each with the entries of its cell, by signals and candidate."""
    rows = [{**cell, **row} for cell in found for row in cell["rows"]]
    return ordered(rows, "signals", "name")


def volumes(results: Path) -> Table:
    def kept(cell: Record) -> str:
        return ", ".join(row["name"] for row in cell["rows"] if row["verdict"] == "kept") or "-"

    def broken(cell: Record) -> str:
        return f"{sum(row['verdict'] == 'broken' for row in cell['rows'])} of {len(cell['rows']) - 1}"

    def told_apart(truth: str) -> Callable[[Record], float]:
        return lambda cell: min(row["told_apart"] for row in cell["rows"] if row["truth"] == truth)

    columns = {
        "seed": first("seed"),
        "kept": first(kept),
        "mirror 1 told apart": first(told_apart("kept"), ".3f"),
        "others broken": first(broken),
        "least told apart of them": first(told_apart("broken"), ".3f"),
    }
    return table(cells(results, NAME, "volumes"), "seed", columns)


def verdicts(results: Path) -> Table:
    """The number of wrong and of undecided verdicts."""
    rows = []
    for part in ("signals", "volumes"):
        found = [row for cell in cells(results, NAME, part) for row in cell["rows"]]
        undecided = sum(row["verdict"] == "undecided" for row in found)
        wrong = sum(row["verdict"] != row["truth"] for row in found) - undecided
        rows.append([part, str(len(found)), str(wrong), str(undecided)])
    return Table(["", "verdicts", "wrong", "undecided"], rows)


def outlines(results: Path) -> Table:
    def told(group: list[Record]) -> str:
        low, high = (mean(row["interval"][end] for row in group) for end in (0, 1))
        return f"{mean(row['told_apart'] for row in group):.3f} ({low:.3f} to {high:.3f})"

    def needed(group: list[Record]) -> str:
        found = [row["needed"][row["name"]] for row in group if row["name"] in row["needed"]]
        return f"{round(mean(found), -2):,.0f}" if found else "-"

    columns = {
        "signals": first("signals"),
        "number": first("count", ","),
        "covariance circulant": first("circulant", ".2f"),
        "": first("name"),
        "verdicts": counts("verdict"),
        "told apart (95 %)": told,
        "needed, about": needed,
    }
    return table(_rows(cells(results, NAME, "outlines")), ("signals", "name"), columns)


def beginnings(results: Path) -> Table:
    """The share of outlines with a tip or a notch close to where they begin, and close to any place."""
    shown = {"outlines of leaves": "tip", "outlines of arrow heads": "notch"}
    found = [cell for cell in cells(results, NAME, "outlines") if cell["signals"] in shown]
    columns = {
        "signals": first("signals"),
        "feature": first(lambda cell: shown[cell["signals"]]),
        "within three values of the beginning": first(lambda cell: cell["begins"][shown[cell["signals"]]], ".0%"),
        "of any place": first(lambda cell: cell["begins"][f"{shown[cell['signals']]} anywhere"], ".0%"),
    }
    return table(found, "signals", columns)


TABLES = {
    "planted": planted,
    "signals": signals,
    "volumes": volumes,
    "verdicts": verdicts,
    "outlines": outlines,
    "beginnings": beginnings,
    "time": times(NAME),
}
