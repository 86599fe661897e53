"""Write docs/api.md from the docstrings of everything public.

python tools/make_api.py            # write it
python tools/make_api.py --check    # say whether it is as it should be (status 1 if not)
"""

import importlib
import inspect
import re
import sys
from pathlib import Path
from types import ModuleType

ROOMS = (
    "lgn",
    "lgn.actions",
    "lgn.measures",
    "lgn.groups",
    "lgn.generators",
    "lgn.penalties",
    "lgn.nn",
    "lgn.transforms",
    "lgn.discovery",
    "lgn.discovery.images",
    "lgn.data",
    "lgn.training",
    "lgn.pretrained",
    "lgn.analysis",
    "lgn.report",
    "lgn.sweep",
    "lgn.deploy",
)
OUT = Path(__file__).parents[1] / "docs" / "api.md"
HEAD = """# API

Everything public, from the docstrings. Written by `python tools/make_api.py`; do not edit.
"""


def document() -> str:
    """The whole page."""
    return "\n".join([HEAD, *(_room(importlib.import_module(name)) for name in ROOMS)])


def _room(module: ModuleType) -> str:
    parts = [f"## {module.__name__}\n", inspect.getdoc(module) or "", ""]
    elsewhere: dict[str, list[str]] = {}
    for name in _public(module):
        value = getattr(module, name)
        home = _home(value)
        if module.__name__ == "lgn" and home is not None:
            elsewhere.setdefault(home, []).append(f"`{name}`")
        elif inspect.isclass(value):
            parts.append(_class(name, value))
        elif callable(value):
            parts.append(f"### {name}\n\n```text\n{name}{_signature(value)}\n```\n\n{inspect.getdoc(value) or ''}\n")
    rows = [f"- from [{home}](#{home.replace('.', '')}): {', '.join(names)}" for home, names in elsewhere.items()]
    return "\n".join([*parts, *(["Also here:\n", *rows, ""] if rows else [])])


def _home(value: object) -> str | None:
    """The room that a name of `lgn` comes from, where it has one."""
    defined = getattr(value, "__module__", None) or ""
    return next((room for room in ROOMS[1:] if defined == room or defined.startswith(f"{room}.")), None)


def _public(module: ModuleType) -> list[str]:
    """The names of `__all__`; of a module without one, the functions and classes that are its own."""
    if hasattr(module, "__all__"):
        return [name for name in module.__all__ if not name.startswith("_")]
    own = inspect.getmembers(module, lambda value: getattr(value, "__module__", None) == module.__name__)
    return [name for name, value in own if not name.startswith("_") and callable(value)]


def _class(name: str, value: type) -> str:
    lines = [f"### {name}\n", f"```text\n{name}{_signature(value)}\n```\n", f"{inspect.getdoc(value) or ''}\n"]
    # A thin class, such as that of one number of axes, has the methods of the one it is made of.
    whole = value if any(map(inspect.isfunction, vars(value).values())) else value.__mro__[1]
    for method, function in vars(whole if whole.__module__.startswith("lgn") else value).items():
        plain = function.__func__ if isinstance(function, classmethod | staticmethod) else function
        if method.startswith("_") or not inspect.isfunction(plain) or not plain.__doc__:
            continue
        text = " ".join((inspect.getdoc(plain) or "").split())
        lines.append(f"- `{method}{_signature(plain)}`: {text}")
    return "\n".join(lines) + "\n"


def _signature(value: object) -> str:
    """Names and defaults: what types mean, the docstring says with shapes."""
    try:
        signature = inspect.signature(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return "(...)"
    plain = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in signature.parameters.values()
        if parameter.name not in ("self", "cls")
    ]
    text = str(inspect.Signature(plain))
    return re.sub(r"<(?:function )?(?:[\w.]*\.)?<?(\w+)>? at 0x[0-9a-f]+>", r"<\1>", text)


def main(args: list[str]) -> int:
    text = document()
    if args == ["--check"]:
        current = OUT.read_text() if OUT.is_file() else ""
        if current == text:
            return 0
        sys.stderr.write("docs/api.md is not what the docstrings say: python tools/make_api.py\n")
        return 1
    OUT.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
