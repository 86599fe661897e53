"""The tables of docs/evidence/truth.md."""

from functools import partial

from studies.render import Results, times
from studies.tables import Table, named_by, rates

PARTS = ("matrices", "models", "power", "fits", "search")
name = named_by("kind", "input", "bank", "pairs", "task", without=("network", "family", "start"))


def part(which: str, results: Results) -> Table:
    return rates(results.cells(which), name, ("first", "before"))


TABLES = {which: partial(part, which) for which in PARTS} | {"time": times}
