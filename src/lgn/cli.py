"""The command line: `lgn COMMAND ...`. Each command parses, calls one function, and prints."""

import importlib
import sys
import warnings
from collections.abc import Sequence

from lgn.training.memory import keep_freed_memory
from lgn.version import __version__

COMMANDS = {
    "discover": "which symmetries do your images have, their labels, and what does a network gain?",
    "build": "a network that uses the symmetries of your images, beside one that does not",
    "predict": "say the class of images with a network that was built or trained",
    "train": "train, or continue a training",
    "analyze": "say what generators do, and how likely chance is to give it",
    "inspect": "say which groups the filters of any trained network have",
    "report": "a page to look at, and figures, of a run or of matrices",
    "operators": "the known operators as matrices, and what each is as a group element",
    "sweep": "train many runs, on one machine or many, and compare them",
    "export": "write the plain network of a run for other programs",
    "data": "list, get and verify data sets",
}

HELP = """lgn finds out which symmetries images, tasks and networks have.

commands:
{commands}

`lgn COMMAND --help` explains one of them; `lgn discover` is the one to start with."""


def main(args: Sequence[str] | None = None) -> int:
    """Run a command; expected errors become one sentence on standard error and a non-zero status."""
    words = list(sys.argv[1:] if args is None else args)
    if not words or words[0] in ("-h", "--help"):
        print(HELP.format(commands="\n".join(f"  {name:12}{what}" for name, what in COMMANDS.items())))  # noqa: T201
        return 0
    if words[0] == "--version":
        print(f"lgn {__version__}")  # noqa: T201
        return 0
    if words[0] not in COMMANDS:
        return _fail(f"command must be one of {', '.join(COMMANDS)}, got {words[0]!r}", 2)
    command = importlib.import_module(f"lgn.commands.{words[0]}")
    keep_freed_memory()
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            return int(command.run(words[1:]))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return 141
    except (ValueError, OSError, RuntimeError) as error:
        return _fail(str(error), 1)


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    """One line, as errors are: where in the code it was said does not help a user."""
    sys.stderr.write(f"lgn: warning: {message}\n")


def _fail(message: str, status: int) -> int:
    sys.stderr.write(f"lgn: error: {message}\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
