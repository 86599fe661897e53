"""`lgn train`: train a network, or continue a training."""

import io
import sys
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any, get_args

import tyro

from lgn.commands.stages import stage_lines
from lgn.generators import FAMILIES
from lgn.training import Config, Interrupted, Run, preset, train
from lgn.training.config import PRESETS, Task
from lgn.training.processes import is_first_process

HELP = """Train a linear group network and leave a run directory.

--preset quick (the default), paper or released gives every other option its default; --resume RUN continues a run
that was stopped. Under torchrun the same command trains in several processes."""


def run(args: list[str]) -> int:
    trained = train_from(args, "lgn train", HELP)
    if trained is None:
        return 130
    print("\n".join([*stage_lines(trained), result_line(trained)]))
    print(f"run: {trained.path}")
    return 0


def train_from(args: list[str], prog: str, description: str) -> Run | None:
    """Parse, train, and return the run; None if the user stopped it. Under torchrun only the first process returns."""
    if take_option(args, "--resume")[0] is not None:
        config, out = _resumed(args)
    else:
        given, rest = take_option(args, "--out")
        config = parse_config(rest, prog, description)
        out = given or default_out(config)
    try:
        trained = train(config, out)
    except Interrupted as interruption:
        if is_first_process():
            print(interruption, file=sys.stderr)
        return None
    if not is_first_process():  # what follows is said, and written, once
        sys.exit(0)
    return trained


def parse_config(args: list[str], prog: str, description: str) -> Config:
    """The config that the arguments describe, on top of the preset that they name."""
    named, args = take_option(args, "--preset")
    task: Any = take_option(args, "--task")[0]
    task = task if task in get_args(Task) else "auto"  # tyro refuses any other, below
    # What a preset depends on besides its task.
    way = {"train": "lifted"} if take_option(args, "--train")[0] == "lifted" else {}
    if (family := FAMILIES.get(take_option(args, "--generator")[0] or "")) is not None:
        way["penalty"] = family.penalty
    description += f"\n\n--preset {{{','.join(PRESETS)}}}: where the defaults of options come from (default: quick)."
    description += "\n--out DIR: where to leave the run (default: runs/DATA-TASK-PRESET-SEED)."
    said, defaults = io.StringIO(), preset(named or "quick", task, **way)
    try:
        with redirect_stderr(said):
            return tyro.cli(Config, prog=prog, description=description, default=defaults, args=args)
    except SystemExit as stop:
        if isinstance(stop.__context__, ValueError):  # what a config refuses is said as all errors are, in no frame
            raise stop.__context__ from None
        sys.stderr.write(said.getvalue())
        raise


def take_option(args: list[str], name: str) -> tuple[str | None, list[str]]:
    """The value of `--name value` or `--name=value`, and the arguments without it."""
    for place, word in enumerate(args):
        if word == name:
            if place + 1 == len(args):
                raise ValueError(f"{name} must be followed by a value")
            return args[place + 1], args[:place] + args[place + 2 :]
        if word.startswith(f"{name}="):
            return word.split("=", 1)[1], args[:place] + args[place + 1 :]
    return None, args


def default_out(config: Config) -> str:
    """Where a run goes if nobody says: named by what it is."""
    return f"runs/{Path(config.data).stem}-{config.task}-{config.preset}-{config.seed}"


def result_line(finished: Run) -> str:
    """The last epoch in words, and by layer how near its step is to the largest at which ISTA converges."""
    metrics = finished.metrics
    if not metrics:
        raise ValueError(f"{finished.path} has no metrics.jsonl: a finished run must have a line for every epoch")
    with finished.reading("metrics.jsonl", "the metrics of a run"):
        return _result_words(metrics[-1])


def _result_words(last: dict[str, Any]) -> str:
    if "test_accuracy" in last:
        words = f"test accuracy {100 * last['test_accuracy']:.2f} %"
    else:
        words = f"test error {last['test_error']:.4g} with {100 * last['test_active']:.0f} % of codes active"
    words += f" after {last['epoch']} epochs, {last['seconds'] / 60:.1f} minutes"
    if conditions := last.get("step_conditions"):
        words += (
            f"\nstep * sigma_max by layer, at most 1 where ISTA converges: {'  '.join(f'{c:.3g}' for c in conditions)}"
        )
    return words


def _resumed(args: list[str]) -> tuple[Config, str]:
    path, rest = take_option(args, "--resume")
    if rest:
        raise ValueError(f"--resume must stand alone, since a run keeps its settings, got {rest[0]} too")
    assert path is not None
    return Run.open(path).config, path
