"""Tables of records: a row for each group of records, and columns that are written as plain values.

A column is one of

- a format string, `"{seed}"` or `"{interval[0]:.3f}"`, which shows entries of the first record that has them,
- a tuple `(statistic, value, format, text without values)`, such as `("mean", "accuracy", ".3f")`, with a statistic of
  `STATISTICS`; the value is the name of an entry or a function of a record,
- a function of the records of the row.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from statistics import geometric_mean, mean, stdev
from string import Formatter
from typing import Any

Record = Mapping[str, Any]
Value = str | Callable[[Any], Any]
Column = str | tuple[Any, ...] | Callable[[list[Record]], str]
Columns = Mapping[str, Column]


@dataclass(frozen=True)
class Table:
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]

    def __str__(self) -> str:
        lines = [self.headings, ["---"] * len(self.headings), *self.rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def table(records: Iterable[Record], by: Value | Sequence[Value], columns: Columns) -> Table:
    """A row for each group of records with equal values of `by`, in the order of the first record of each group."""
    keys = [by] if isinstance(by, str) or callable(by) else by
    groups: dict[tuple[Any, ...], list[Record]] = {}
    for record in records:
        groups.setdefault(tuple(value_of(record, key) for key in keys), []).append(record)
    return Table(list(columns), [[text_of(column, group) for column in columns.values()] for group in groups.values()])


class _Entries(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        if value is None:
            raise LookupError
        return format(value, format_spec)


def text_of(column: Column, records: list[Record]) -> str:
    if isinstance(column, str):
        for record in records:
            with suppress(LookupError):
                return _Entries().vformat(column, (), record)
        return ""
    if callable(column):
        return column(records)
    statistic, value, form, empty = (*column, "", "")[:4]
    found = values(records, value)
    return STATISTICS[statistic](found, form) if found else empty


STATISTICS: dict[str, Callable[[list[Any], str], str]] = {
    "first": lambda found, form: format(found[0], form),
    "mean": lambda found, form: format(mean(found), form),
    "geometric mean": lambda found, form: format(geometric_mean(found), form),
    "least": lambda found, form: format(min(found), form),
    "most": lambda found, form: format(max(found), form),
    "sum": lambda found, form: format(sum(found), form),
    "mean, sd": lambda found, form: plus_minus(found, form),
    "range": lambda found, form: f"{min(found):{form}} to {max(found):{form}}",
    "true": lambda found, _: f"{sum(map(bool, found))} of {len(found)}",
    "distinct": lambda found, form: ", ".join(dict.fromkeys(format(value, form) for value in found)),
    "counts": lambda found, _: ", ".join(f"{value} {count}" for value, count in Counter(found).most_common()),
}


def entries(*names: str) -> dict[str, Column]:
    """Columns that show entries of records under their own names."""
    return {name: f"{{{name}}}" for name in names}


def among(column: Column, **wanted: Any) -> Column:
    """The same column of those records alone that have the wanted values."""
    return lambda records: text_of(column, where(records, **wanted))


def number(records: list[Record]) -> str:
    return f"{len(records):,}"


def plus_minus(found: Sequence[float], form: str = ".2f") -> str:
    """The mean, with the standard deviation if there are at least two values."""
    return f"{mean(found):{form}}" + (f" ± {stdev(found):{form}}" if len(found) > 1 else "")


def estimate(middle: float, low: float | None, high: float | None, form: str = ".2f") -> str:
    """A difference and its interval."""
    return f"{middle:+{form}}" + ("" if low is None else f" [{low:{form}}, {high:{form}}]")


# Values of records


def value_of(record: Record, value: Value) -> Any:
    return record.get(value) if isinstance(value, str) else value(record)


def values(records: Iterable[Record], value: Value) -> list[Any]:
    return [found for record in records if (found := value_of(record, value)) is not None]


def distinct(records: Iterable[Record], value: Value) -> list[Any]:
    return list(dict.fromkeys(values(records, value)))


def where(records: Iterable[Record], **wanted: Any) -> list[Record]:
    return [record for record in records if all(record.get(name) == value for name, value in wanted.items())]


def ordered(records: Iterable[Record], *names: str) -> list[Record]:
    """Records sorted by entries, each of whose values has the rank of its first occurrence."""
    found = list(records)
    ranks = {name: distinct(found, name) for name in names}
    return sorted(found, key=lambda record: [ranks[name].index(record[name]) for name in names])


def percent(name: str) -> Callable[[Record], float | None]:
    return lambda record: None if record.get(name) is None else 100 * record[name]


def error_percent(record: Record) -> float:
    return 100 * (1 - record["accuracy"])


def yes_no(name: str) -> Callable[[Record], str]:
    return lambda record: "yes" if record[name] else "no"


# Rates


BOUNDS = {"limit": "at most", "at_least": "at least"}


def rates(records: Iterable[Record], by: Value, more: Sequence[str] = ()) -> Table:
    """Rates weighted by the number of cases, next to the required bound; a row that misses its bound is marked."""
    found = list(records)

    def weighted(name: str) -> Column:
        return lambda group: f"{rate_of(group, name):.3f}" if name in group[0] else ""

    def bound(group: list[Record]) -> str:
        return "".join(f"{word} {group[0][name]:g}" for name, word in BOUNDS.items() if name in group[0])

    def missed(group: list[Record]) -> str:
        low, high = group[0].get("at_least", 0) - 1e-9, group[0].get("limit", 1) + 1e-9
        return "" if low <= rate_of(group) <= high else "missed"

    columns: dict[str, Column] = {"": ("first", by), "cases": ("sum", "count", ","), "rate": weighted("rate")}
    columns |= {name: weighted(name) for name in more if any(name in record for record in found)}
    return table(found, by, columns | {"required": bound, " ": missed})


def rate_of(group: Sequence[Record], name: str = "rate") -> float:
    return sum(record[name] * record["count"] for record in group) / sum(record["count"] for record in group)


def named_by(*names: str, without: Sequence[str] = ()) -> Callable[[Record], str]:
    """A name for a cell: the values of some entries of its key, then the other entries with their names."""

    def name(record: Record) -> str:
        shown = {key: value for key, value in record["key"].items() if key not in ("part", "seed", *without)}
        values_first = [str(shown.pop(key)) for key in names if key in shown]
        return ", ".join([*values_first, *(f"{key} {value}" for key, value in shown.items())])

    return name
