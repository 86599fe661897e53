"""The tables of docs/evidence/signals.md."""

from collections.abc import Callable
from statistics import mean

from studies.render import Results, cells_table, times
from studies.tables import Columns, Record, Table, among, distinct, ordered, table


def planted(results: Results) -> Table:
    found = results.cells("planted")
    noises: Columns = {
        f"noise {noise:g}" if noise else "no noise": among(("most", "error", ".1e"), noise=noise)
        for noise in sorted(distinct(found, "noise"))
    }
    columns: Columns = {
        "operator": "{operator}",
        "patch": ("first", lambda cell: "x".join(map(str, cell["patch"]))),
        **noises,
        "seeds": lambda group: str(len(distinct(group, "seed"))),
    }
    return table(found, "operator", columns)


def verdicts(results: Results) -> Table:
    rows = []
    for part in ("signals", "volumes"):
        found = _rows(results.cells(part))
        undecided = sum(row["verdict"] == "undecided" for row in found)
        wrong = sum(row["verdict"] != row["truth"] for row in found) - undecided
        rows.append([part, str(len(found)), str(wrong), str(undecided)])
    return Table(["", "verdicts", "wrong", "undecided"], rows)


def _rows(found: list[Record]) -> list[Record]:
    rows: list[Record] = [{**cell, **row} for cell in found for row in cell["rows"]]
    return ordered(rows, *[name for name in ("signals", "name") if name in rows[0]])


def _kept(cell: Record) -> str:
    return ", ".join(row["name"] for row in cell["rows"] if row["verdict"] == "kept") or "-"


def _broken(cell: Record) -> str:
    return f"{sum(row['verdict'] == 'broken' for row in cell['rows'])} of {len(cell['rows']) - 1}"


def _told_apart(truth: str) -> Callable[[Record], float]:
    return lambda cell: min(row["told_apart"] for row in cell["rows"] if row["truth"] == truth)


def _interval(group: list[Record]) -> str:
    low, high = (mean(row["interval"][end] for row in group) for end in (0, 1))
    return f"{mean(row['told_apart'] for row in group):.3f} ({low:.3f} to {high:.3f})"


def _needed(group: list[Record]) -> str:
    found = [row["needed"][row["name"]] for row in group if row["name"] in row["needed"]]
    return f"{round(mean(found), -2):,.0f}" if found else "-"


#: What is looked for at the beginning of outlines.
FEATURES = {"outlines of leaves": "tip", "outlines of arrow heads": "notch"}
TABLES = {
    "planted": planted,
    "signals": cells_table(
        "signals",
        by=("signals", "name"),
        records=_rows,
        columns={
            "signals": "{signals}",
            "": "{name}",
            "truth": "{truth}",
            "verdicts": ("counts", "verdict"),
            "told apart": ("mean", "told_apart", ".3f"),
            "a break of the margin": ("mean", lambda row: row["controls"].get(row["name"]), ".3f", "-"),
        },
    ),
    "volumes": cells_table(
        "volumes",
        by="seed",
        columns={
            "seed": "{seed}",
            "kept": ("first", _kept),
            "mirror 1 told apart": ("first", _told_apart("kept"), ".3f"),
            "others broken": ("first", _broken),
            "least told apart of them": ("first", _told_apart("broken"), ".3f"),
        },
    ),
    "verdicts": verdicts,
    "outlines": cells_table(
        "outlines",
        by=("signals", "name"),
        records=_rows,
        columns={
            "signals": "{signals}",
            "number": "{count:,}",
            "covariance circulant": "{circulant:.2f}",
            "": "{name}",
            "verdicts": ("counts", "verdict"),
            "told apart (95 %)": _interval,
            "needed, about": _needed,
        },
    ),
    "beginnings": cells_table(
        "outlines",
        by="signals",
        records=lambda found: [cell for cell in found if cell["signals"] in FEATURES],
        columns={
            "signals": "{signals}",
            "feature": ("first", lambda cell: FEATURES[cell["signals"]]),
            "within three values of the beginning": (
                "first",
                lambda cell: cell["begins"][FEATURES[cell["signals"]]],
                ".0%",
            ),
            "of any place": ("first", lambda cell: cell["begins"][f"{FEATURES[cell['signals']]} anywhere"], ".0%"),
        },
    ),
    "time": times,
}
