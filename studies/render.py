"""Fill the tables of the evidence pages from the stored results.

    python -m studies.render

A page is hand-written Markdown. A table stands between two lines, and everything between them is replaced:

    <!-- table: groups/cost by group, family
    | group | median ratio |
    | {group} | {mean ratio:.3f} |
    -->
    <!-- end -->

This table has a row for each group and family among the cells of the part `cost` of `results/groups.json`, with the
given headings and columns (`studies/tables.py`). Further tables and records of a study are functions in the `TABLES`
of `studies/NAME/tables.py`, or of `studies/NAME.py` if the study is one file; figures are in its `FIGURES`.
"""

import importlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from lgn.report.figures import save
from studies.tables import Record, Table, table

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "docs/evidence/*.md", "results/*.md")
TABLE = re.compile(
    r"<!-- table: ([\w/-]+)(?: by ([^\n(]+?))?(?: \([^)]*\))?((?:\n\|[^\n]*){2}\n| )-->\n.*?<!-- end -->", re.DOTALL
)
MISSING = "Not measured yet"
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


Maker = Callable[[Results], Any]  # a table, a text, or records for the columns of the page


def times(results: Results) -> list[Record]:
    """Cells with the minutes that they took."""
    cells = [cell for cell in results.cells() if "processor_seconds" in cell]
    return [{**cell, "minutes": cell["processor_seconds"] / 60} for cell in cells]


def modules() -> dict[str, Any]:
    """The module with the tables of each study by the name of the study, which is a folder or one file."""
    here = Path(__file__).parent
    folders = {path.parent.name: f"studies.{path.parent.name}.tables" for path in here.glob("*/tables.py")}
    names = folders | {path.stem: f"studies.{path.stem}" for path in here.glob("[!_]*.py")}
    found = {name: importlib.import_module(names[name]) for name in sorted(names)}
    return {name: one for name, one in found.items() if hasattr(one, "TABLES")}


def rendered(match: re.Match[str], results: Results) -> str:
    """The text of a table that a page asks for."""
    name, by, template = match.groups()
    study, _, which = name.partition("/")
    makers = getattr(modules().get(study), "TABLES", {})
    if which not in makers and by is None:
        raise ValueError(f"table must be in the TABLES of a study or have columns, got {name!r}")
    try:
        found = makers[which](results) if which in makers else results.cells(which)
    except NotMeasured as missing:
        return f"{MISSING}: {missing}."
    if by is None:
        return str(found)
    headings, columns = ([cell.strip() for cell in line[1:-1].split(" | ")] for line in template.strip().splitlines())
    numbered = {str(number): column for number, column in enumerate(columns)}  # headings may be equal
    return str(Table(headings, table(found, str if by == "record" else by.split(", "), numbered).rows))


def filled(text: str, directory: Path) -> str:
    """A page with its tables replaced."""

    def replaced(match: re.Match[str]) -> str:
        name, by, template = match.groups()
        results = Results(directory / f"{name.partition('/')[0]}.json")
        asked = f"{name} by {by}" if by else name
        return f"<!-- table: {asked} ({NOTE}){template}-->\n\n{rendered(match, results)}\n\n<!-- end -->"

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
