"""The options of `lgn train` and `lgn discover`: a config, where the run goes, and a help that fits a screen."""

import argparse
import io
import sys
from contextlib import redirect_stderr
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_type_hints

import tyro

from lgn.commands.found import with_found
from lgn.generators import FAMILIES
from lgn.groups import as_group
from lgn.training import Config, Run, preset
from lgn.training.config import PRESETS, Task

#: What `--help` shows; `--help-all` shows everything.
SHOWN = {
    "evidence", "candidates", "minutes", "paper_alone", "network", "out", "resume", "open", "data", "from_preset",
    "task", "epochs", "seed", "num_layers", "num_sets", "order", "group", "kernel_size", "generator", "penalty",
}  # fmt: skip
MORE = "\n\n--help-all shows all options."

T = TypeVar("T", bound="TrainOptions")


@dataclass(frozen=True)
class TrainOptions(Config):
    """A training, and where it goes."""

    from_preset: Annotated[str, tyro.conf.arg(name="preset", metavar=f"{{{','.join(PRESETS)}}}")] = "quick"
    """Where the defaults of all other options come from."""
    out: Path | None = None
    """Where to leave the run; None is runs/DATA-TASK-PRESET-SEED."""
    resume: Path | None = None
    """Continue this run, which was stopped. It keeps its settings, so no other can be given."""

    @property
    def config(self) -> Config:
        return Config(**{field.name: getattr(self, field.name) for field in fields(Config)})

    def settled(self) -> tuple[Config, Path]:
        """The config to train with, and the directory of the run."""
        if self.resume is not None:
            return Run.open(self.resume).config, self.resume
        name = f"{Path(self.data).stem}-{self.task}-{self.from_preset}-{self.seed}"
        return self.config, self.out or Path("runs") / name


def parse(kind: type[T], args: list[str], prog: str, description: str) -> T:
    """The options that the arguments describe, on top of the preset that they name."""
    args = with_found(args)
    default = kind(**_defaults(args))
    given: type[T] = kind
    if "--help-all" in args:
        args = ["--help"]
    elif {"-h", "--help"}.intersection(args):
        default, description = _short(default), description + MORE
        given = type(default)
    said = io.StringIO()
    try:
        with redirect_stderr(said):
            options: T = tyro.cli(given, prog=prog, description=description, default=default, args=args)
    except SystemExit as stop:
        if isinstance(stop.__context__, ValueError):  # what a config refuses is said as all errors are, in no frame
            raise stop.__context__ from None
        sys.stderr.write(said.getvalue())
        raise
    if options.resume is not None and (options.config != default.config or options.out):
        words = [word for word in args if not word.startswith("--resume") and word != str(options.resume)]
        raise ValueError(f"resume must stand alone, since a run keeps its settings, got {' '.join(words)} too")
    return options


def parse_config(args: list[str], prog: str, description: str) -> Config:
    """The config alone, for whoever decides where a run goes."""
    options = parse(TrainOptions, args, prog, description)
    if options.out is not None or options.resume is not None:
        raise ValueError("out and resume must not be given here")
    return options.config


def _defaults(args: list[str]) -> dict[str, Any]:
    """The values that options have unless they are given: these depend on the preset and on some options."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for name in ("--preset", "--task", "--generator", "--group", "--order"):
        parser.add_argument(name, nargs="?")
    known, _ = parser.parse_known_args(args)
    task: Any = known.task if known.task in get_args(Task) else "auto"  # tyro refuses any other
    family = FAMILIES.get(known.generator)
    way: dict[str, Any] = {} if family is None else {"penalty": family.penalty}
    if known.group is not None and known.order is None:
        way["order"] = as_group(known.group).order
    return {**vars(preset(known.preset or "quick", task, **way)), "from_preset": known.preset or "quick"}


def _short(options: Any) -> Any:
    """The same value, of a class derived from its own in which only the options of `SHOWN` can be seen."""
    own: Any = type(options)
    hints = get_type_hints(own, include_extras=True)
    values = {field.name: getattr(options, field.name) for field in fields(options)}
    inner = {name: _short(value) for name, value in values.items() if is_dataclass(value)}
    hidden = {name: Annotated[hints[name], tyro.conf.Suppress] for name in values if name not in SHOWN}
    parts = {name: Annotated[type(value), tyro.conf.OmitArgPrefixes] for name, value in inner.items()}
    short: Any = type(own.__name__, (own,), {"__annotations__": hidden | parts, **values, **inner})
    return dataclass(frozen=True)(short)(**values | inner)
