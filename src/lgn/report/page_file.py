"""The page of a run as one HTML file that works offline."""

import json
from pathlib import Path
from typing import Any

from lgn.files import write_atomic
from lgn.report.contents import Contents
from lgn.report.payload import payload
from lgn.version import __version__

TEMPLATES = Path(__file__).parent / "templates"
#: The scripts, in the order of their dependence.
SCRIPTS = (
    *("algebra", "colours", "dom", "charts", "overview", "gallery"),
    *("painter", "power", "group", "explorer", "compare", "page"),
)


def render(*shown: Contents) -> str:
    """The HTML of the page of one run, or of two runs side by side.

    The content-security policy of the page forbids all requests. Text from data enters as JSON that cannot end its
    script element, and is shown as text.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from plotly.offline import get_plotlyjs

    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined)
    scripts = "\n".join((TEMPLATES / "scripts" / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)
    return environment.get_template("page.html.jinja").render(
        title=" and ".join(run.title for run in shown),
        version=__version__,
        data=script_json({"runs": [payload(run) for run in shown]}),
        style=(TEMPLATES / "page.css").read_text(encoding="utf-8"),
        plotly=get_plotlyjs(),
        scripts=scripts,
    )


def write_page(path: str | Path, *shown: Contents) -> Path:
    """Write the page and return its path."""
    write_atomic(Path(path), render(*shown).encode("utf-8"))
    return Path(path)


def script_json(value: Any) -> str:
    """JSON for a script element: no character in it can end the element or open a comment."""
    escapes = {character: f"\\u{character:04x}" for character in map(ord, "<>&\u2028\u2029")}
    return json.dumps(value, allow_nan=False, separators=(",", ":")).translate(escapes)
