"""The tables of docs/evidence/symmetry.md."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from statistics import mean

from lgn.stats import clopper_pearson
from studies.render import Maker, NotMeasured, Results, times
from studies.tables import Columns, Record, Table, ordered, table, where

#: The parts whose verdicts are counted, with the prefix of their rates.
COUNTED = {"images": "", "later": "later: ", "slight": "slight breaks: ", "angles": "angles: ", "few": "few images: "}
UNDECIDED_ALLOWED = ("few", "slight")  # here "undecided" is a right verdict, so found ones are not counted
#: The image sets whose answers the README shows.
SHOWN = {
    "mnist, upright": "MNIST",
    "mnist, quarter turns": "MNIST, turned by quarters",
    "cifar10, upright": "CIFAR-10, as it is",
}
CANDIDATES = ("turn 90", "turn 180", "flip columns", "flip rows")


def verdicts(part: str, results: Results) -> Table:
    rows: list[Record] = []
    for cell in ordered(results.cells(part), "count", "images"):
        count = f", {cell['count']:,} images" if "count" in cell["key"] else ""
        for row in cell["rows"]:
            turns = "turns" if row["name"].split()[0] == "turn" else "flips"
            kind = turns if row["family"] == "turns and flips" else row["family"]
            title = f"{kind}, {row['truth'] or 'not known'}"
            rows.append({**row, "images": cell["images"] + count, "kind": title})
    columns: Columns = {"images": "{images}", "candidates": "{kind}", "told apart": "{mean told_apart:.3f}"}
    return table(rows, ("images", "kind"), {**columns, "rows": "{number name}", "right": _right, "others": _others})


def _right(rows: list[Record]) -> str:
    known = [row for row in rows if row["truth"] is not None]
    return f"{sum(row['verdict'] == row['truth'] for row in known)} of {len(known)}" if known else "not counted"


def _others(rows: list[Record]) -> str:
    if rows[0]["truth"] is None:
        return "; ".join(f"{word} {count}" for word, count in sorted(Counter(row["verdict"] for row in rows).items()))
    return "; ".join(sorted({f"{row['name']} {row['verdict']}" for row in rows if row["verdict"] != row["truth"]}))


def rates(results: Results) -> dict[str, tuple[int, int]]:
    """Counts of verdicts whose truth is known, as (how many, of how many); and of image sets with a false verdict."""
    found: dict[str, tuple[int, int]] = {}
    for part, prefix in COUNTED.items():
        chosen = where(results.cells(), part=part)
        rows = [row for cell in chosen for row in cell["rows"]]
        kept, broken = ([row["verdict"] for row in rows if row["truth"] == truth] for truth in ("kept", "broken"))
        found[f"{prefix}false kept"] = broken.count("kept"), len(broken)
        found[f"{prefix}false broken"] = kept.count("broken"), len(kept)
        if part not in UNDECIDED_ALLOWED:
            found[f"{prefix}kept found"] = kept.count("kept"), len(kept)
            found[f"{prefix}broken found"] = broken.count("broken"), len(broken)
        wrong = [any({row["truth"], row["verdict"]} == {"kept", "broken"} for row in cell["rows"]) for cell in chosen]
        found[f"{prefix}sets with a false verdict"] = sum(wrong), len(chosen)
    return found


def rate_table(results: Results) -> Table:
    rows = []
    for name, (count, total) in rates(results).items():
        if total:
            low, high = clopper_pearson(count, total)
            rows.append([name, f"{count} of {total}", f"{count / total:.3f}", f"{low:.3f} to {high:.3f}"])
    return Table(["", "rows", "share", "95 %"], rows)


def ranges(results: Results) -> list[Record]:
    lines = [(cell, along, line) for cell in results.cells("partial") for along, line in cell["lines"].items()]
    return [{**cell, **line, "along": along, "last": line["told_apart"][-1]} for cell, along, line in lines]


def left_right(results: Results) -> list[Record]:
    cells = results.cells("left-right")
    return [{**cell, **cell["rows"][0], "trace": ", a trace" if cell["trace"] else ""} for cell in cells]


def trace(results: Results) -> Table:
    rows = left_right(results)
    told, control = mean(row["told_apart"] for row in rows), mean(row["controls"]["turns and flips"] for row in rows)
    smallest = min(len(rows) * min(row["p_value"] for row in rows), 1.0)
    headings = ["smallest p-value times seeds", "told apart beyond 1/2", "share of the control", "mean control"]
    size = (told - 0.5) / (control - 0.5)
    return Table(headings, [[f"{smallest:.2g}", f"{told - 0.5:.3f}", f"{size:.0%}", f"{control:.3f}"]])


def tasks(results: Results) -> list[Record]:
    rows = [{**cell, **row} for cell in results.cells("tasks") for row in cell["rows"]]
    return [{**row, "order": " ".join(map(str, row["permutation"])) or "-"} for row in rows]


def summary(results: Results) -> Table:
    """The verdicts on a few transformations of three image sets, over seeds."""
    found = [{**row, "images": cell["images"]} for cell in results.cells("images") for row in cell["rows"]]

    def answer(candidate: str, rows: list[Record]) -> str:
        asked = where(rows, name=candidate)
        verdicts = Counter(row["verdict"] for row in asked).most_common()
        told = mean(row["told_apart"] for row in asked)
        return f"{told:.3f}, " + " and ".join(f"{verdict} {count} of {len(asked)}" for verdict, count in verdicts)

    shown: list[Record] = [{**row, "title": SHOWN[row["images"]]} for row in found if row["images"] in SHOWN]
    if not shown:
        raise NotMeasured("the image sets of the summary")
    answers: dict[str, Callable[[list[Record]], str]] = {name: partial(answer, name) for name in CANDIDATES}
    columns: Columns = {"": "{title}", **answers}
    return table(shown, "images", columns)


TABLES: dict[str, Maker] = {
    **{part: partial(verdicts, part) for part in COUNTED},
    "rates": rate_table,
    "partial": ranges,
    "left-right": left_right,
    "trace": trace,
    "tasks": tasks,
    "summary": summary,
    "time": times,
}
