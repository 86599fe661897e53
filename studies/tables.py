"""Tables of records: a row for each group of records, and columns that are format strings.

`"{seed}"`, `"{interval[0]:.3f}"` show entries of the first record that has them; `"{mean accuracy:.2f}"` shows a
statistic of `STATISTICS` over the records of the row. `.1p` is a percentage without its sign, `yes/no` a truth value.
`"{most error:.1e}||none"` has a text for rows without a value.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import geometric_mean, mean, stdev
from string import Formatter
from typing import Any

Record = Mapping[str, Any]
Value = str | Callable[[Any], Any]
Column = str | Callable[[list[Record]], str]
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


def formatted(value: Any, form: str = "") -> str:
    if form == "yes/no":
        return "yes" if value else "no"
    return f"{100 * value:{form[:-1]}f}" if form.endswith("p") else format(value, form)


STATISTICS: dict[str, Callable[[list[Any], str], str]] = {
    "": lambda found, form: formatted(found[0], form),
    "mean": lambda found, form: formatted(mean(found), form),
    "geometric": lambda found, form: formatted(geometric_mean(found), form),
    "least": lambda found, form: formatted(min(found), form),
    "most": lambda found, form: formatted(max(found), form),
    "sum": lambda found, form: formatted(sum(found), form),
    "sd": lambda found, form: plus_minus(found, form),
    "range": lambda found, form: f"{formatted(min(found), form)} to {formatted(max(found), form)}",
    "true": lambda found, _: f"{sum(map(bool, found))} of {len(found)}",
    "number": lambda found, form: formatted(len(found), form),
    "list": lambda found, form: ", ".join(formatted(value, form) for value in found),
    "distinct": lambda found, form: ", ".join(dict.fromkeys(formatted(value, form) for value in found)),
    "counts": lambda found, _: ", ".join(f"{value} {count}" for value, count in Counter(found).most_common()),
}


class _Columns(Formatter):
    def get_field(self, field_name: str, args: Any, _: Any) -> tuple[Any, str]:
        statistic, _, path = field_name.partition(" ")
        if statistic not in STATISTICS or not path:
            statistic, path = "", field_name
        found = [value for record in args if (value := self._entry(path, record)) is not None]
        if not found:
            raise LookupError
        return (STATISTICS[statistic], found), path

    def _entry(self, path: str, record: Record) -> Any:
        try:
            return super().get_field(path, (), record)[0]
        except LookupError:
            return None

    def format_field(self, value: Any, format_spec: str) -> str:
        statistic, found = value
        return statistic(found, format_spec)


def text_of(column: Column, records: list[Record]) -> str:
    """The text of a column for the records of one row."""
    if callable(column):
        return column(records)
    form, _, empty = column.partition("||")
    try:
        return _Columns().vformat(form, records, {})
    except LookupError:
        return empty


def among(column: Column, **wanted: Any) -> Column:
    """The same column of those records alone that have the wanted values."""
    return lambda records: text_of(column, where(records, **wanted))


def plus_minus(found: Sequence[float], form: str = ".2f") -> str:
    """The mean, with the standard deviation if there are at least two values."""
    return formatted(mean(found), form) + (f" ± {formatted(stdev(found), form)}" if len(found) > 1 else "")


def estimate(middle: float, low: float | None, high: float | None) -> str:
    """A difference and its interval."""
    return f"{middle:+.2f}" + ("" if low is None else f" [{low:.2f}, {high:.2f}]")


def value_of(record: Record, value: Value) -> Any:
    return record.get(value) if isinstance(value, str) else value(record)


def distinct(records: Iterable[Record], name: str) -> list[Any]:
    return list(dict.fromkeys(record[name] for record in records))


def where(records: Iterable[Record], **wanted: Any) -> list[Record]:
    return [record for record in records if all(record.get(name) == value for name, value in wanted.items())]


def ordered(records: Iterable[Record], *names: str) -> list[Record]:
    """Records sorted by entries, each of whose values has the rank of its first occurrence."""
    found = list(records)
    ranks = {name: list(dict.fromkeys(record.get(name) for record in found)) for name in names}
    return sorted(found, key=lambda record: [ranks[name].index(record.get(name)) for name in names])


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

    columns: dict[str, Column] = {"": lambda group: str(value_of(group[0], by)), "cases": "{sum count:,}"}
    columns |= {"rate": weighted("rate")}
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
