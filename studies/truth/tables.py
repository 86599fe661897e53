"""The tables of docs/evidence/truth.md."""

from functools import partial
from pathlib import Path

from studies.render import Table, cells, named_by, rates, times

PARTS = ("matrices", "models", "power", "fits", "search")
name = named_by("kind", "input", "bank", "pairs", "task", without=("network", "family", "start"))


def part(which: str, results: Path) -> Table:
    return rates(cells(results, "truth", which), name, ("first", "before"))


TABLES = {which: partial(part, which) for which in PARTS} | {"time": times("truth")}
