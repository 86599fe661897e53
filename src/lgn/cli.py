"""The command line: `lgn COMMAND ...`. A command parses its options, calls one function, and prints the result."""

import functools
import importlib
import sys
import warnings
from collections.abc import Sequence

import tyro

from lgn.training.processes import keep_freed_memory
from lgn.version import __version__

COMMANDS = {
    "discover": "find the symmetries of a data set",
    "inspect": "find the groups in the filters of a trained network",
    "build": "train a network that respects the symmetries of images",
    "predict": "classify images with a trained network",
    "train": "train a linear group network",
    "analyze": "describe what the generators of a run do",
    "report": "write the page and the figures of a run",
    "sweep": "train many runs, on one machine or many",
    "export": "write the network of a run for other programs",
    "data": "list, download and verify data sets",
    "operators": "list the known operators",
}

HELP = """Find the symmetries of data, functions and networks.

commands:
{commands}

`lgn COMMAND --help` lists the options of a command. Start with `lgn discover`."""


def main(args: Sequence[str] | None = None) -> int:
    """Run a command. An expected error is one sentence on standard error and a status other than 0."""
    command, *rest = list(sys.argv[1:] if args is None else args) or ["--help"]
    if command in ("-h", "--help"):
        print(HELP.format(commands="\n".join(f"  {name:12}{text}" for name, text in COMMANDS.items())))  # noqa: T201
        return 0
    if command == "--version":
        print(f"lgn {__version__}")  # noqa: T201
        return 0
    if command not in COMMANDS:
        return _fail(f"command must be one of {', '.join(COMMANDS)}, got {command!r}", 2)
    keep_freed_memory()
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            module = importlib.import_module(f"lgn.commands.{command}_command")
            parse = functools.partial(tyro.cli, prog=f"lgn {command}", args=rest)
            # A command without a status succeeded.
            return (module.run(parse(module.Options)) if hasattr(module, "Options") else parse(module.run)) or 0
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return 141
    except (ValueError, OSError, RuntimeError) as error:
        return _fail(str(error), 1)


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    """A warning in one line, without the place in the code."""
    sys.stderr.write(f"lgn: warning: {message}\n")


def _fail(message: str, status: int) -> int:
    sys.stderr.write(f"lgn: error: {message}\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
