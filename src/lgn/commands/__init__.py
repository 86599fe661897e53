"""The commands of the command line, one file each, with a function `run(args)` that returns the exit status."""

from collections.abc import Callable

import tyro


def command(name: str, function: Callable[..., None]) -> Callable[[list[str]], int]:
    """The `run(args)` of a command that is one function: its arguments are the options, its docstring the help."""

    def run(args: list[str]) -> int:
        tyro.cli(function, prog=f"lgn {name}", args=args)
        return 0

    return run
