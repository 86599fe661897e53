"""The tables of docs/evidence/symmetry.md."""

from collections import Counter
from collections.abc import Iterator
from functools import partial
from statistics import mean

from lgn.stats import clopper_pearson
from studies.render import NotMeasured, Results, cells_table, times
from studies.tables import Columns, Record, Table, entries, number, ordered, table, where, yes_no

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


def _verdict_rows(found: list[Record]) -> Iterator[Record]:
    for cell in ordered(found, "count", "images"):
        count = f", {cell['count']:,} images" if "count" in cell["key"] else ""
        for row in cell["rows"]:
            kind = row["family"]
            if kind == "turns and flips":
                kind = "turns" if row["name"].split()[0] == "turn" else "flips"
            yield {**row, "images": cell["images"] + count, "kind": kind}


def _right(rows: list[Record]) -> str:
    known = [row for row in rows if row["truth"] is not None]
    return f"{sum(row['verdict'] == row['truth'] for row in known)} of {len(known)}" if known else "not counted"


def _others(rows: list[Record]) -> str:
    if rows[0]["truth"] is None:
        return "; ".join(f"{word} {count}" for word, count in sorted(Counter(row["verdict"] for row in rows).items()))
    return "; ".join(sorted({f"{row['name']} {row['verdict']}" for row in rows if row["verdict"] != row["truth"]}))


VERDICTS: Columns = {
    "images": "{images}",
    "candidates": lambda rows: f"{rows[0]['kind']}, {rows[0]['truth'] or 'not known'}",
    "told apart": ("mean", "told_apart", ".3f"),
    "rows": number,
    "right": _right,
    "others": _others,
}


def rates(results: Results) -> dict[str, tuple[int, int]]:
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


def trace(results: Results) -> Table:
    """Over seeds, which share the test images: the smallest p-value, corrected, and the size of the difference."""
    found = results.cells("left-right")
    rows = [cell["rows"][0] for cell in found]
    told, control = mean(row["told_apart"] for row in rows), mean(cell["controls"]["turns and flips"] for cell in found)
    smallest = min(len(rows) * min(row["p_value"] for row in rows), 1.0)
    headings = ["smallest p-value times seeds", "told apart beyond 1/2", "share of the control", "mean control"]
    size = (told - 0.5) / (control - 0.5)
    return Table(headings, [[f"{smallest:.2g}", f"{told - 0.5:.3f}", f"{size:.0%}", f"{control:.3f}"]])


def summary(results: Results) -> Table:
    found = [{**row, "images": cell["images"]} for cell in results.cells("images") for row in cell["rows"]]

    def answer(candidate: str, rows: list[Record]) -> str:
        asked = where(rows, name=candidate)
        verdicts = Counter(row["verdict"] for row in asked).most_common()
        told = mean(row["told_apart"] for row in asked)
        return f"{told:.3f}, " + " and ".join(f"{verdict} {count} of {len(asked)}" for verdict, count in verdicts)

    shown = [row for row in found if row["images"] in SHOWN]
    if not shown:
        raise NotMeasured("the image sets of the summary")
    columns: Columns = {candidate: partial(answer, candidate) for candidate in CANDIDATES}
    return table(shown, "images", {"": ("distinct", lambda row: SHOWN[row["images"]]), **columns})


TABLES = {
    **{
        part: cells_table(part, by=("images", "kind", "truth"), records=_verdict_rows, columns=VERDICTS)
        for part in COUNTED
    },
    "rates": rate_table,
    "partial": cells_table(
        "partial",
        by=("images", "along", "seed"),
        records=lambda found: [
            {**cell, **line, "along": along} for cell in found for along, line in cell["lines"].items()
        ],
        columns={
            **entries("images", "along", "seed"),
            "told apart": ("first", lambda line: f"{line['told_apart'][0]:.3f} to {line['told_apart'][-1]:.3f}"),
            "within": ("first", "within", ".3g", "-"),
            "planted": ("first", "planted", ".3g", "-"),
        },
    ),
    "left-right": cells_table(
        "left-right",
        by="seed",
        records=lambda found: [{**cell, **cell["rows"][0]} for cell in found],
        columns={
            "seed": "{seed}",
            "told apart": "{told_apart:.3f}",
            "interval": "{interval[0]:.3f} to {interval[1]:.3f}",
            "control": "{controls[turns and flips]}",
            "verdict": lambda rows: rows[0]["verdict"] + (", a trace" if rows[0]["trace"] else ""),
        },
    ),
    "trace": trace,
    "tasks": cells_table(
        "tasks",
        by=("task", "seed", "name"),
        records=lambda found: [{**cell, **row} for cell in found for row in cell["rows"]],
        columns={
            **entries("task", "seed"),
            "": "{name}",
            "images": "{verdict}",
            "labels": ("first", "labels", "", "-"),
            "accuracy on x, on T x": lambda rows: (
                "-" if rows[0]["accuracy"] is None else "{accuracy:.3f}, {transformed:.3f}".format(**rows[0])
            ),
            "permutation": lambda rows: " ".join(map(str, rows[0]["permutation"])) or "-",
        },
    ),
    "gains": cells_table(
        "gains",
        by=("images", "candidate", "seed"),
        columns={
            "images": "{images}",
            "orbits of": "{candidate}",
            "seed": "{seed}",
            "points": "{points:+.2f} +- {error:.2f}",
            "claimed": ("first", yes_no("claimed")),
            "wanted": ("first", yes_no("wanted")),
        },
    ),
    "summary": summary,
    "time": times,
}
