"""The tables of docs/evidence/signals.md."""

from functools import partial
from statistics import mean

from studies.render import Maker, Results, times
from studies.tables import Columns, Record, Table, among, distinct, ordered, table, where

#: The feature at the beginning of outlines.
FEATURES = {"outlines of leaves": "tip", "outlines of arrow heads": "notch"}


def planted(results: Results) -> Table:
    found: list[Record] = [{**cell, "axes": "x".join(map(str, cell["patch"]))} for cell in results.cells("planted")]
    noises: Columns = {
        f"noise {noise:g}" if noise else "no noise": among("{most error:.1e}", noise=noise)
        for noise in sorted(distinct(found, "noise"))
    }
    seeds: Columns = {"seeds": lambda group: str(len(distinct(group, "seed")))}
    return table(found, "operator", {"operator": "{operator}", "patch": "{axes}", **noises, **seeds})


def verdicts(results: Results) -> Table:
    rows = []
    for part in ("signals", "volumes"):
        found = verdict_rows(part, results)
        undecided = sum(row["verdict"] == "undecided" for row in found)
        wrong = sum(row["verdict"] != row["truth"] for row in found) - undecided
        rows.append([part, str(len(found)), str(wrong), str(undecided)])
    return Table(["", "verdicts", "wrong", "undecided"], rows)


def verdict_rows(part: str, results: Results) -> list[Record]:
    cells = results.cells(part)
    rows = [{**cell, **row, "control": cell["controls"].get(row["name"])} for cell in cells for row in cell["rows"]]
    return ordered(rows, "signals", "name")


def volumes(results: Results) -> list[Record]:
    return [
        {
            **cell,
            "kept": ", ".join(row["name"] for row in where(cell["rows"], verdict="kept")) or "-",
            "broken": f"{len(where(cell['rows'], verdict='broken'))} of {len(cell['rows']) - 1}",
            "least_of": {
                truth: min(row["told_apart"] for row in where(cell["rows"], truth=truth))
                for truth in ("kept", "broken")
            },
        }
        for cell in results.cells("volumes")
    ]


def outlines(results: Results) -> Table:
    def interval(group: list[Record]) -> str:
        low, high = (mean(row["interval"][end] for row in group) for end in (0, 1))
        return f"{mean(row['told_apart'] for row in group):.3f} ({low:.3f} to {high:.3f})"

    def needed(group: list[Record]) -> str:
        found = [row["needed"][row["name"]] for row in group if row["name"] in row["needed"]]
        return f"{round(mean(found), -2):,.0f}" if found else "-"

    columns: Columns = {"signals": "{signals}", "number": "{count:,}", "covariance circulant": "{circulant:.2f}"}
    columns = {**columns, "": "{name}", "verdicts": "{counts verdict}", "told apart (95 %)": interval}
    return table(verdict_rows("outlines", results), ("signals", "name"), {**columns, "needed, about": needed})


def beginnings(results: Results) -> list[Record]:
    return [
        {**cell, "feature": feature, "near": cell["begins"][feature], "anywhere": cell["begins"][f"{feature} anywhere"]}
        for signals, feature in FEATURES.items()
        for cell in where(results.cells("outlines"), signals=signals)
    ]


TABLES: dict[str, Maker] = {
    "planted": planted,
    "signals": partial(verdict_rows, "signals"),
    "volumes": volumes,
    "verdicts": verdicts,
    "outlines": outlines,
    "beginnings": beginnings,
    "time": times,
}
