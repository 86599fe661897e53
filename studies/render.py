"""Fill the tables of the evidence pages from the stored results.

    python -m studies.render

A page is hand-written Markdown. `<!-- table: truth/power -->` and `<!-- end -->` enclose the table `power` of the study
`truth`. Everything between two such lines is replaced. A study lists its tables in `studies/NAME/tables.py`, or in
`studies/NAME.py` if it is one file:

    TABLES = {"cost": cells_table("cost", by="group", columns={"group": "{group}", "ratio": ("mean", "ratio", ".2f")})}
    FIGURES = {"docs/images/speed.svg": draw}  # where a page shows a figure of its own
"""

import importlib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from lgn.report.figures import save
from studies.tables import Columns, Record, Table, Value, number, table, values

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "docs/evidence/*.md", "results/*.md")
TABLE = re.compile(r"<!-- table: ([\w/-]+)[^>]*-->\n.*?<!-- end -->", re.DOTALL)
NOTE = "made by python -m studies.render, do not edit below"


class NotMeasured(Exception):
    """The results that a table needs are not there."""


@dataclass(frozen=True)
class Results:
    """The file of results of a study, and the files next to it."""

    path: Path

    def stored(self, name: str = "") -> Any:
        """The content of the file, or of another file by name."""
        path = self.path.with_name(f"{name}.json") if name else self.path
        if not path.is_file():
            raise NotMeasured(path.name)
        return _stored(path, path.stat().st_mtime_ns)

    def cells(self, *parts: str) -> list[Record]:
        """The cells of some parts, or of all, each with the entries of its key."""
        found: list[Record] = [{**cell, **cell["key"]} for cell in self.stored()["cells"]]
        found = [cell for cell in found if not parts or cell["part"] in parts]
        if not found:
            raise NotMeasured(f"{', '.join(parts)} in {self.path.name}")
        return found


@cache
def _stored(path: Path, modified: int) -> Any:
    return json.loads(path.read_text())


Maker = Callable[[Results], Table | str]


def cells_table(
    part: str,
    by: Value | Sequence[Value],
    columns: Columns,
    records: Callable[[list[Record]], Iterable[Record]] = list,
) -> Maker:
    """A table of the cells of a part, or of records that are made of them."""
    return lambda results: table(records(results.cells(part)), by, columns)


def times(results: Results) -> Table:
    """How many cells of each part were measured, and how long that took."""

    def minutes(records: list[Record]) -> str:
        return f"{sum(values(records, 'processor_seconds')) / 60:.1f}"

    columns: Columns = {"part": "{part}", "cells": number, "minutes of processor time": minutes}
    return table([cell for cell in results.cells() if "processor_seconds" in cell], "part", columns)


def modules(module: str = "tables") -> dict[str, Any]:
    """A module of each study by the name of the study, which is a folder, or one file with cells and tables."""
    here = Path(__file__).parent
    folders = {path.parent.name: f"studies.{path.parent.name}.{module}" for path in here.glob(f"*/{module}.py")}
    names = folders | {path.stem: f"studies.{path.stem}" for path in here.glob("[!_]*.py")}
    found = {name: importlib.import_module(names[name]) for name in sorted(names)}
    return {name: each for name, each in found.items() if hasattr(each, "TABLES") or hasattr(each, "STUDY")}


def rendered(name: str, directory: Path) -> str:
    """The text of a table such as "truth/power"."""
    study, _, which = name.partition("/")
    tables = modules()[study].TABLES if study in modules() else {}
    if which not in tables:
        raise ValueError(f"table must be in the TABLES of a study, got {name!r}")
    try:
        return str(tables[which](Results(directory / f"{study}.json")))
    except NotMeasured as missing:
        return f"Not measured yet: {missing}."


def filled(text: str, directory: Path) -> str:
    """A page with its tables replaced."""

    def replaced(match: re.Match[str]) -> str:
        name = match.group(1)
        return f"<!-- table: {name} ({NOTE}) -->\n\n{rendered(name, directory)}\n\n<!-- end -->"

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
    for study, module in modules().items():
        for path, draw in getattr(module, "FIGURES", {}).items():
            target = ROOT / path
            figure = draw(Results(ROOT / "results" / f"{study}.json"))
            save(figure, target.with_suffix(""), [target.suffix.removeprefix(".")])


if __name__ == "__main__":
    main()
