"""`lgn sweep`: train many runs, on one machine or many, and compare them."""

import itertools
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from lgn.commands.options import settings_help, with_settings
from lgn.sweep import plan, run_jobs, summarise, table, write_comparison, write_summary
from lgn.training import Config, preset
from lgn.training.config import Task

HELP = """Train every combination of the given data sets, presets, tasks and seeds, and summarise the runs.

Every run has its own directory in --out. The same command skips finished runs and continues stopped ones.
"""
TASKS: tuple[Task, ...] = ("auto", "classify", "reconstruct")


@dataclass(frozen=True)
class SweepOptions:
    """The options of `lgn sweep`."""

    data: str = "digits"
    """Data sets, separated by commas: names, folders of images or .npz files."""
    preset: str = "quick"
    """Presets, separated by commas: quick, paper, released, stable, net."""
    task: str = "auto"
    """Tasks, separated by commas: auto, classify, reconstruct."""
    seeds: int = 3
    """Runs of each combination, with the seeds 0 to SEEDS - 1."""
    epochs: int | None = None
    """Number of passes over the training images."""
    data_dir: Path | None = None
    """Directory of the named data sets; by default LGN_DATA."""
    set: Annotated[tuple[str, ...], tyro.conf.UseAppendAction, tyro.conf.arg(metavar="NAME=VALUE")] = ()
    """Any other setting of all runs, such as --set num_sets=8. All settings are listed above."""
    out: Path = Path("runs/sweep")
    """Directory of the runs, summary.json and summary.html."""
    address: str | None = None
    """Address of a Ray cluster; by default Ray starts on this machine."""
    threads: int | None = None
    """Processors of each run; by default all processors, divided by the number of runs."""
    gpus: float = 0.0
    """GPUs of each run. With a fraction such as 0.25 runs share a GPU."""
    retries: int = 3
    """How often a worker that dies is replaced."""

    def configs(self) -> list[Config]:
        """All combinations, each with all seeds."""
        if self.seeds < 1:
            raise ValueError(f"seeds must be at least 1, got {self.seeds}")
        if unknown := [task for task in _names("task", self.task) if task not in TASKS]:
            raise ValueError(f"task must be one of {', '.join(TASKS)}, got {unknown[0]!r}")
        return [
            preset(
                name, task, **with_settings(
                    {"data": data, "seed": seed, "epochs": self.epochs, "data_dir": self.data_dir}, self.set)
            )
            for data, name, task in itertools.product(
                _names("data", self.data),
                _names("preset", self.preset),
                [task for task in TASKS if task in _names("task", self.task)],
            )
            for seed in range(self.seeds)
        ]  # fmt: skip


def parse(args: list[str]) -> SweepOptions:
    """The options that the arguments state."""
    description = f"{HELP}\n{settings_help(SweepOptions.__dataclass_fields__)}"
    return tyro.cli(SweepOptions, prog="lgn sweep", description=description, args=args)


def run(args: list[str]) -> int:
    options = parse(args)
    jobs = plan(options.configs(), options.out)
    try:
        failures = run_jobs(
            jobs,
            address=options.address,
            threads=options.threads,
            gpus=options.gpus,
            retries=options.retries,
            progress=True,
        )
    except KeyboardInterrupt:
        sys.stderr.write("stopped; the same command continues\n")
        raise
    settings = summarise(jobs)
    if settings:
        write_summary(options.out / "summary.json", settings, failures)
        write_comparison(options.out / "summary.html", settings, failures)
        print(table(settings))
        print(f"summary: {options.out / 'summary.json'}\npage: {options.out / 'summary.html'}")
    for name, reason in failures.items():
        sys.stderr.write(f"{name} failed: {reason}\n")
    return 1 if failures else 0


def _names(option: str, text: str) -> list[str]:
    """Names that are separated by commas."""
    names = text.split(",")
    if not all(names):
        raise ValueError(f"{option} must be names separated by single commas, got {text!r}")
    return names
