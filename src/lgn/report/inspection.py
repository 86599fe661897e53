"""The page of an inspection: one HTML file without scripts that opens anywhere, offline."""

from collections.abc import Mapping, Sequence
from typing import Any

from lgn.report.page_file import TEMPLATES
from lgn.version import __version__


def render(
    source: str, layers: Sequence[Mapping[str, Any]], left_alone: Mapping[str, str], deeper: Sequence[Any]
) -> str:
    """The page as text; names from files are escaped, and pictures are part of it."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    return environment.get_template("inspection.html.jinja").render(
        source=source,
        layers=layers,
        left_alone=left_alone,
        deeper=deeper,
        version=__version__,
        style=(TEMPLATES / "page.css").read_text(encoding="utf-8"),
    )
