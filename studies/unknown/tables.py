"""The tables of docs/evidence/unknown.md."""

from functools import partial

from lgn.stats import clopper_pearson
from studies.render import Maker, Results, times
from studies.tables import Record, Table

ENOUGH = 50_000  # samples, from which on planted groups should be found


def name(cell: Record) -> str:
    forms = {"samples": "{1:,} {0}", "rank": "{0} {1}"}
    shown = {key: value for key, value in cell["key"].items() if key not in ("part", "seed", "data")}
    return ", ".join(forms.get(key, "{1}").format(key, value) for key, value in shown.items())


def searches(part: str, results: Results) -> list[Record]:
    return [
        {
            **cell,
            "name": name(cell),
            "error": max(cell["errors"], default=None),
            "cosine": min(
                (abs(value) for value in cell["generator_cosines"] or cell["cosines"] if value is not None),
                default=None,
            ),
            "ratio": max(cell["ratios"], default=None),
            "is_wrong": cell["wrong"] > 0,
            "is_undecided": cell["undecided"] > 0,
            "right": cell["classes_seen"] if cell.get("classes_right") else 0,
        }
        for cell in results.cells(part)
    ]


def rates(results: Results) -> Table:
    found = [cell for cell in results.cells() if "wrong" in cell]
    planted = [cell for cell in found if cell["part"] == "planted" and cell["samples"] >= ENOUGH]
    wrong = sum(cell["wrong"] > 0 for cell in found)
    most = clopper_pearson(wrong, len(found), 0.90)[1]  # one-sided at 95 %
    headings = ["searches", "with a wrong claim", "at most, with 95 % confidence", "planted groups found"]
    counts = [str(len(found)), str(wrong), f"{100 * most:.1f} %"]
    return Table(headings, [[*counts, f"{sum(cell['found'] for cell in planted)} of {len(planted)}"]])


PARTS = ("controls", "natural", "planted", "task")
TABLES: dict[str, Maker] = {part: partial(searches, part) for part in PARTS} | {"rates": rates, "time": times}
