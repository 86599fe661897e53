"""The tables of docs/evidence/unknown.md."""

from functools import partial

from lgn.stats import clopper_pearson
from studies.render import Results, cells_table, times
from studies.tables import Columns, Record, Table, number, table

ENOUGH = 50_000  # samples, from which on planted groups should be found


def name(cell: Record) -> str:
    """The name of a search: its task or data, then its other settings."""
    forms = {"samples": "{1:,} {0}", "rank": "{0} {1}"}
    shown = {key: value for key, value in cell["key"].items() if key not in ("part", "seed", "data")}
    return ", ".join(forms.get(key, "{1}").format(key, value) for key, value in shown.items())


def searches(part: str, results: Results) -> Table:
    found = results.cells(part)
    columns: Columns = {
        "": ("first", name),
        "searches": number,
        "found": ("sum", "found"),
        "wrong": ("sum", lambda cell: cell["wrong"] > 0),
        "undecided": ("sum", lambda cell: cell["undecided"] > 0),
        "worst error": ("most", lambda cell: max(cell["errors"], default=None), ".3f"),
        "cosine": ("least", _cosine, ".3f"),
        "ratio": ("most", lambda cell: max(cell["ratios"], default=None), ".3f"),
    }
    right: Columns = {"classes right": ("sum", lambda cell: cell["classes_seen"] if cell["classes_right"] else 0)}
    return table(found, name, {**columns, **(right if "classes_right" in found[0] else {})})


def _cosine(cell: Record) -> float | None:
    found = [abs(value) for value in cell["generator_cosines"] or cell["cosines"] if value is not None]
    return min(found, default=None)


def rates(results: Results) -> Table:
    found = [cell for cell in results.cells() if "wrong" in cell]
    planted = [cell for cell in found if cell["part"] == "planted" and cell["samples"] >= ENOUGH]
    wrong = sum(cell["wrong"] > 0 for cell in found)
    most = clopper_pearson(wrong, len(found), 0.90)[1]  # one-sided at 95 %
    headings = ["searches", "with a wrong claim", "at most, with 95 % confidence", "planted groups found"]
    counts = [str(len(found)), str(wrong), f"{100 * most:.1f} %"]
    return Table(headings, [[*counts, f"{sum(cell['found'] for cell in planted)} of {len(planted)}"]])


TABLES = {part: partial(searches, part) for part in ("controls", "natural", "planted", "task")} | {
    "rates": rates,
    "cost": cells_table(
        "cost",
        by=("rank", "samples"),
        columns={
            "rank": "{rank}",
            "samples": "{samples:,}",
            "starts": "{starts}",
            "seconds": "{wall_seconds:.1f}",
            "of processor": "{search_processor_seconds:.1f}",
            "MB": "{megabytes:.0f}",
            "claims": "{claims}",
        },
    ),
    "time": times,
}
