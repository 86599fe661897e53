"""The paper's experiments, one file each: the docstring has the command, what to expect, and the minutes it takes."""

import importlib
from pathlib import Path
from types import ModuleType

from studies.paper.context import Context, NotRun

NAMES = (*(f"fig{number}" for number in range(1, 12)), "structures", "differences", "claims")


def recipe(name: str) -> ModuleType:
    """The module of a recipe, with a function `run(context)`."""
    if name not in NAMES:
        raise ValueError(f"recipe must be one of {', '.join(NAMES)}, got {name!r}")
    return importlib.import_module(f"studies.paper.{name}")


def reproduce(names: tuple[str, ...], context: Context) -> tuple[list[Path], dict[str, str]]:
    """Run recipes in order; what is done already is not done again.

    Returns the figures and pages written, and by recipe what was left out, where only what is finished is read.
    """
    written: list[Path] = []
    left_out: dict[str, str] = {}
    for name, each in [(name, recipe(name)) for name in names]:  # a wrong name is refused before any work
        try:
            written += each.run(context)
        except NotRun as reason:
            left_out[name] = str(reason)
    return written, left_out


__all__ = ["NAMES", "Context", "NotRun", "recipe", "reproduce"]
