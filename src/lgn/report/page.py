"""One HTML file that opens anywhere, offline: `render` makes its text, `write_page` the file."""

import json
from pathlib import Path
from typing import Any

from lgn.files import write_atomic
from lgn.report.contents import Contents
from lgn.report.payload import payload
from lgn.version import __version__

TEMPLATES = Path(__file__).parent / "templates"
#: In the order in which they build on each other.
SCRIPTS = (
    "algebra",
    "colours",
    "dom",
    "charts",
    "answer",
    "overview",
    "gallery",
    "painter",
    "power",
    "group",
    "explorer",
    "compare",
    "page",
)


def render(contents: Contents, against: Contents | None = None) -> str:
    """The page of one run, or of two side by side.

    Nothing in the page is fetched from anywhere, and its content-security policy forbids it; text from data enters
    only as JSON that cannot end its script element, and is shown as text.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from plotly.offline import get_plotlyjs

    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined)
    scripts = "\n".join((TEMPLATES / "scripts" / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)
    data = {"runs": [payload(each) for each in (contents, against) if each is not None]}
    return environment.get_template("page.html.jinja").render(
        title=contents.title if against is None else f"{contents.title} and {against.title}",
        version=__version__,
        data=script_json(data),
        style=(TEMPLATES / "page.css").read_text(encoding="utf-8"),
        plotly=get_plotlyjs(),
        scripts=scripts,
    )


def write_page(path: str | Path, contents: Contents, against: Contents | None = None) -> Path:
    """Write the page, whole or not at all, and return its path."""
    path = Path(path)
    write_atomic(path, render(contents, against).encode("utf-8"))
    return path


def script_json(value: Any) -> str:
    """JSON that may stand inside a script element: no character in it can end the element or open a comment."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
