"""Fill the tables of the evidence pages from the stored results.

    python -m studies.render

A page is hand-written Markdown. `<!-- table: truth/power -->` and `<!-- end -->` enclose the table `power` of the study
`truth`. Everything between two such lines is replaced. A study lists its tables in `studies/NAME/tables.py`:

    TABLES = {"power": lambda results: rates(cells(results, "truth", "power"))}
    FIGURES = {"docs/images/speed.svg": draw}  # where a page shows a figure of its own
"""

import importlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import geometric_mean, mean, stdev
from typing import Any

from lgn.report.figures import save

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "docs/evidence/*.md", "results/*.md")
TABLE = re.compile(r"<!-- table: ([\w/-]+)[^>]*-->\n.*?<!-- end -->", re.DOTALL)
NOTE = "made by python -m studies.render, do not edit below"

Record = Mapping[str, Any]
Value = str | Callable[[Any], Any]  # a key of records, or a function of a record
Column = Callable[[list[Record]], str]  # the text of a column for the records of one row


class NotMeasured(Exception):
    """The results that a table needs are not there."""


@dataclass(frozen=True)
class Table:
    """Headings and rows of text."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]

    def __str__(self) -> str:
        lines = [self.headings, ["---"] * len(self.headings), *self.rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def table(records: Iterable[Record], by: Value | Sequence[Value], columns: Mapping[str, Column]) -> Table:
    """A row for each group of records with equal values of `by`, in the order of the first record of each group."""
    keys = [by] if isinstance(by, str) or callable(by) else by
    groups: dict[tuple[Any, ...], list[Record]] = {}
    for record in records:
        groups.setdefault(tuple(value_of(record, key) for key in keys), []).append(record)
    return Table(list(columns), [[column(group) for column in columns.values()] for group in groups.values()])


def value_of(record: Record, value: Value) -> Any:
    return record.get(value) if isinstance(value, str) else value(record)


def values(records: Iterable[Record], value: Value) -> list[Any]:
    """The values of records that have one."""
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


# Columns. Each gives an empty text where no record has a value.


def statistic(of: Callable[[list[Any]], Any], value: Value, form: str = "", empty: str = "") -> Column:
    def text(records: list[Record]) -> str:
        found = values(records, value)
        return format(of(found), form) if found else empty

    return text


def first(value: Value, form: str = "", empty: str = "") -> Column:
    return statistic(lambda found: found[0], value, form, empty)


def entries(*names: str) -> dict[str, Column]:
    """Columns that show entries of records under their own names."""
    return {name: first(name) for name in names}


def average(value: Value, form: str = ".3f", empty: str = "") -> Column:
    return statistic(mean, value, form, empty)


def largest(value: Value, form: str = ".3f", empty: str = "") -> Column:
    return statistic(max, value, form, empty)


def smallest(value: Value, form: str = ".3f", empty: str = "") -> Column:
    return statistic(min, value, form, empty)


def geometric(value: Value, form: str = ".2g") -> Column:
    return statistic(geometric_mean, value, form)


def total(value: Value, form: str = "") -> Column:
    return statistic(sum, value, form, "0")


def mean_sd(value: Value, form: str = ".2f", unit: str = "") -> Column:
    return statistic(lambda found: plus_minus(found, form) + unit, value)


def span(value: Value, form: str = ".3f", empty: str = "") -> Column:
    return statistic(lambda found: f"{min(found):{form}} to {max(found):{form}}", value, "", empty)


def share(value: Value) -> Column:
    return statistic(lambda found: f"{sum(map(bool, found))} of {len(found)}", value)


def listed(value: Value, form: str = "") -> Column:
    return statistic(lambda found: ", ".join(dict.fromkeys(format(each, form) for each in found)), value)


def counts(value: Value, separator: str = ", ") -> Column:
    """How often each value occurs, the most frequent first."""
    return statistic(lambda found: separator.join(f"{x} {n}" for x, n in Counter(found).most_common()), value)


def number(records: list[Record]) -> str:
    return f"{len(records):,}"


def among(column: Column, **wanted: Any) -> Column:
    """The same column of those records alone that have the wanted values."""
    return lambda records: column(where(records, **wanted))


# Formats


def plus_minus(found: Sequence[float], form: str = ".2f") -> str:
    """The mean, with the standard deviation if there are at least two values."""
    return f"{mean(found):{form}}" + (f" ± {stdev(found):{form}}" if len(found) > 1 else "")


def estimate(found: Mapping[str, float | None], form: str = ".2f") -> str:
    """A difference and its interval."""
    bounds = "" if found["low"] is None else f" [{found['low']:{form}}, {found['high']:{form}}]"
    return f"{found['mean']:+{form}}{bounds}"


def percent(name: str) -> Callable[[Record], float | None]:
    return lambda record: None if record.get(name) is None else 100 * record[name]


def error_percent(record: Record) -> float:
    return 100 * (1 - record["accuracy"])


def yes_no(name: str) -> Callable[[Record], str]:
    return lambda record: "yes" if record[name] else "no"


# Results


@cache
def _stored(path: Path, modified: int) -> Any:  # noqa: ARG001
    return json.loads(path.read_text())


def result(results: Path, name: str) -> Any:
    """A file of the results."""
    path = results / f"{name}.json"
    if not path.is_file():
        raise NotMeasured(path.name)
    return _stored(path, path.stat().st_mtime_ns)


def cells(results: Path, name: str, part: str) -> list[Record]:
    """The cells of a part of a study, each with the entries of its key."""
    stored = result(results, name)["cells"]
    found: list[Record] = [{**cell, **cell["key"]} for cell in stored if cell["key"]["part"] == part]
    if not found:
        raise NotMeasured(f"{part} in {name}.json")
    return found


def times(name: str) -> Callable[[Path], Table]:
    """How many cells of each part were measured, and how long that took."""

    def minutes(records: list[Record]) -> str:
        return f"{sum(values(records, 'processor_seconds')) / 60:.1f}"

    columns = {"part": first("part"), "cells": number, "minutes of processor time": minutes}
    return lambda results: table(
        [{**cell, **cell["key"]} for cell in result(results, name)["cells"]], by="part", columns=columns
    )


BOUNDS = {"limit": "at most", "at_least": "at least"}


def rates(records: Iterable[Record], by: Value, more: Sequence[str] = ()) -> Table:
    """Rates weighted by the number of cases, next to the required bound; a row that misses its bound is marked."""
    found = list(records)

    def weighted(name: str) -> Column:
        def text(group: list[Record]) -> str:
            return f"{rate_of(group, name):.3f}" if name in group[0] else ""

        return text

    def bound(group: list[Record]) -> str:
        return "".join(f"{word} {group[0][name]:g}" for name, word in BOUNDS.items() if name in group[0])

    def missed(group: list[Record]) -> str:
        low, high = group[0].get("at_least", 0) - 1e-9, group[0].get("limit", 1) + 1e-9
        return "" if low <= rate_of(group) <= high else "missed"

    shown = [name for name in more if any(name in record for record in found)]
    columns = {"": lambda group: str(value_of(group[0], by)), "cases": total("count", ","), "rate": weighted("rate")}
    columns |= {name: weighted(name) for name in shown} | {"required": bound, " ": missed}
    return table(found, by, columns)


def rate_of(group: Sequence[Record], name: str = "rate") -> float:
    return sum(record[name] * record["count"] for record in group) / sum(record["count"] for record in group)


def named_by(*names: str, without: Sequence[str]) -> Callable[[Record], str]:
    """A name for a cell: the values of some entries of its key, then the other entries with their names."""

    def name(record: Record) -> str:
        shown = {key: value for key, value in record["key"].items() if key not in ("part", "seed", *without)}
        values_first = [str(shown.pop(key)) for key in names if key in shown]
        return ", ".join([*values_first, *(f"{key} {value}" for key, value in shown.items())])

    return name


# Pages


def modules() -> dict[str, Any]:
    """The tables of all studies, by the name of the study."""
    paths = sorted(Path(__file__).parent.glob("*/tables.py"))
    return {path.parent.name: importlib.import_module(f"studies.{path.parent.name}.tables") for path in paths}


def rendered(name: str, results: Path) -> str:
    """The text of a table such as "truth/power"."""
    study, _, which = name.partition("/")
    tables = modules()[study].TABLES if study in modules() else {}
    if which not in tables:
        raise ValueError(f"table must be one of studies/*/tables.py, got {name!r}")
    try:
        return str(tables[which](results))
    except NotMeasured as missing:
        return f"Not measured yet: {missing}."


def filled(text: str, results: Path) -> str:
    """A page with its tables replaced."""

    def replaced(match: re.Match[str]) -> str:
        name = match.group(1)
        return f"<!-- table: {name} ({NOTE}) -->\n\n{rendered(name, results)}\n\n<!-- end -->"

    return TABLE.sub(replaced, text)


def pages(root: Path = ROOT) -> dict[Path, str]:
    """Every page that has tables, with its new text."""
    found = [path for pattern in PAGES for path in sorted(root.glob(pattern))]
    return {path: filled(path.read_text(), root / "results") for path in found if TABLE.search(path.read_text())}


def main() -> None:
    for path, text in pages().items():
        if path.read_text() != text:
            path.write_text(text)
            print(path.relative_to(ROOT))
    for module in modules().values():
        for path, draw in getattr(module, "FIGURES", {}).items():
            target = ROOT / path
            save(draw(ROOT / "results"), target.with_suffix(""), [target.suffix.removeprefix(".")])


if __name__ == "__main__":
    main()
