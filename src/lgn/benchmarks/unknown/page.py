"""What the benchmark found, as tables for people and as `docs/unknown.md`."""

from pathlib import Path
from typing import Any

from lgn.whole_files import read_json, write_whole

Cells = list[dict[str, Any]]


def write_page(results: Path, out: Path) -> None:
    """Make `docs/unknown.md` from `results/unknown.json`."""
    write_whole(out, page(read_json(results)).encode())


def page(result: dict[str, Any]) -> str:
    """The document of a measurement."""
    return describe(result) + "\n"


def describe(result: dict[str, Any]) -> str:
    """The tables of all parts that were measured."""
    return str(len(result["cells"]))
