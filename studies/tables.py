"""What the pages of benchmarks share: the cells of each part, and rates beside what was asked of them."""

from collections.abc import Callable, Mapping, Sequence
from statistics import mean, stdev
from typing import Any, NamedTuple

from lgn.text import markdown_table

Cells = list[dict[str, Any]]
BOUNDS = {"limit": "at most", "at_least": "at least"}


def by_part(result: dict[str, Any], tables: Mapping[str, Callable[[Cells], str]]) -> str:
    """What `tables` say of each part that was measured, and how long it took."""
    texts = []
    for part, table in tables.items():
        if chosen := [cell for cell in result["cells"] if cell["key"]["part"] == part]:
            minutes = sum(cell["processor_seconds"] for cell in chosen) / 60
            texts.append(f"{table(chosen)}\n\n{len(chosen)} cells, {minutes:.1f} minutes of processor time.")
    return "\n\n".join(texts)


def where(cells: Cells, **wanted: Any) -> Cells:
    """The cells whose key has all these values."""
    return [cell for cell in cells if all(cell["key"].get(name) == value for name, value in wanted.items())]


def values(cells: Cells, name: str) -> list[Any]:
    """The values of a key, each once, as they come."""
    return list(dict.fromkeys(cell["key"][name] for cell in cells if name in cell["key"]))


class Rate(NamedTuple):
    """One kind of case, over its seeds and networks."""

    name: str
    cases: int
    rate: float
    bound: dict[str, float]  # "limit" or "at_least", where there is one
    more: dict[str, float]

    @property
    def right(self) -> bool:
        return self.bound.get("at_least", 0) - 1e-9 <= self.rate <= self.bound.get("limit", 1) + 1e-9


def rates(cells: Cells, name: Callable[[dict[str, Any]], str], more: Sequence[str] = ()) -> list[Rate]:
    """The mean "rate" of the cells that a key's `name` calls the same, and those of the numbers in `more`."""
    kinds: dict[str, Cells] = {}
    for cell in cells:
        kinds.setdefault(name(cell["key"]), []).append(cell)
    result = []
    for called, some in kinds.items():
        count = sum(cell["count"] for cell in some)
        means = {
            what: sum(cell[what] * cell["count"] for cell in some) / count
            for what in ("rate", *more)
            if what in some[0]
        }
        bound = {what: float(some[0][what]) for what in BOUNDS if what in some[0]}
        result.append(Rate(called, count, means.pop("rate"), bound, means))
    return result


def plus_minus(values: Sequence[float], form: str = ".2f") -> str:
    """The mean, with the standard deviation of two or more values."""
    return f"{mean(values):{form}}" + (f" ± {stdev(values):{form}}" if len(values) > 1 else "")


def rate_table(rows: Sequence[Rate]) -> str:
    """Rates beside their bounds; a row that misses its bound is marked."""
    extra = list(dict.fromkeys(name for row in rows for name in row.more))
    lines = []
    for row in rows:
        shown = [f"{row.more[each]:.3f}" if each in row.more else "" for each in extra]
        bound = "".join(f"{BOUNDS[what]} {value:g}" for what, value in row.bound.items())
        lines.append([row.name, f"{row.cases:,}", f"{row.rate:.3f}", *shown, bound, "" if row.right else "missed"])
    return markdown_table(["", "cases", "rate", *extra, "asked", ""], lines)
