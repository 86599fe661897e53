"""Write docs/api.md: the signature and the first sentence of every public name.

python tools/make_api.py            # write the page
python tools/make_api.py --check    # exit with status 1 if the page is not up to date
"""

import importlib
import inspect
import re
import sys
from pathlib import Path
from types import ModuleType

PACKAGES = (
    "lgn",
    "lgn.answer",
    "lgn.apply",
    "lgn.transforms",
    "lgn.data",
    "lgn.discovery.filters",
    "lgn.actions",
    "lgn.measures",
    "lgn.groups",
    "lgn.generators",
    "lgn.penalties",
    "lgn.nn",
    "lgn.analysis",
    "lgn.training",
    "lgn.pretrained",
    "lgn.deploy",
    "lgn.sweep",
    "lgn.report",
)
OUT = Path(__file__).parents[1] / "docs" / "api.md"
HEAD = """# API

Every public name, with its signature and the first sentence of its docstring. `help(name)` shows the whole docstring.
`python tools/make_api.py` writes this page; do not edit it.
"""


def document() -> str:
    """The whole page."""
    return "\n".join([HEAD, *(_package(importlib.import_module(name)) for name in PACKAGES)])


def _package(module: ModuleType) -> str:
    lines = [f"## {module.__name__}\n", f"{_first_sentence(module)}\n"]
    elsewhere: dict[str, list[str]] = {}
    for name in _public(module):
        value = getattr(module, name)
        home = value.__name__ if inspect.ismodule(value) else _home(value, module.__name__)
        if home in PACKAGES and home != module.__name__:
            elsewhere.setdefault(home, []).append(f"`{name}`")
        elif inspect.isclass(value) or inspect.isfunction(value):
            lines.append(f"- `{name}{_signature(value)}`: {_first_sentence(value)}{_methods(value)}")
        else:
            lines.append(f"- `{name}`")
    lines += [f"- from [{home}](#{home.replace('.', '')}): {', '.join(names)}" for home, names in elsewhere.items()]
    return "\n".join(lines) + "\n"


def _public(module: ModuleType) -> list[str]:
    """The names of `__all__`, or the functions and classes that a module defines."""
    if hasattr(module, "__all__"):
        return [name for name in module.__all__ if not name.startswith("_")]
    own = inspect.getmembers(module, lambda value: getattr(value, "__module__", None) == module.__name__)
    return [name for name, value in own if not name.startswith("_") and callable(value)]


def _home(value: object, package: str) -> str:
    """The package that defines a value; for constants, the package that lists them."""
    defined = getattr(value, "__module__", None) or package
    homes = [name for name in PACKAGES[1:] if f"{defined}.".startswith(f"{name}.")]
    return max(homes, key=len, default=package)


def _methods(value: object) -> str:
    """The public methods of a class with a docstring, by name."""
    if not inspect.isclass(value):
        return ""
    # A class without methods of its own, such as a layer for one number of axes, has those of its base.
    source = value if any(map(inspect.isfunction, vars(value).values())) else value.__mro__[1]
    if not source.__module__.startswith("lgn"):
        return ""
    methods = [
        f"`{name}`"
        for name, member in vars(source).items()
        if not name.startswith("_") and callable(getattr(source, name)) and getattr(source, name).__doc__
    ]
    return f" Methods: {', '.join(methods)}." if methods else ""


def _first_sentence(value: object) -> str:
    text = " ".join((inspect.getdoc(value) or "").split("\n\n")[0].split())
    for end in re.finditer(r"(?<=\.)(?<!app\.)(?<!sec\.) (?=[A-Z`(])", text):
        if text.count("`", 0, end.start()) % 2 == 0:  # not within code
            return text[: end.start()]
    return text


def _signature(value: object) -> str:
    """Names and defaults of the arguments."""
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


def main(arguments: list[str]) -> int:
    text = document()
    if arguments == ["--check"]:
        if OUT.is_file() and OUT.read_text() == text:
            return 0
        sys.stderr.write("docs/api.md is not up to date: run python tools/make_api.py\n")
        return 1
    OUT.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
