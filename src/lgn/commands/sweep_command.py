"""`lgn sweep`: train many runs, on one machine or many, and compare them."""

import itertools
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from lgn.commands.options import DataDir, Epochs, Settings, names_of, with_settings
from lgn.sweep import plan, run_jobs, summarise, table, write_comparison, write_summary
from lgn.training import Config, preset
from lgn.training.config import Task

TASKS: tuple[Task, ...] = get_args(Task)


@dataclass(frozen=True)
class Options:
    """Train every combination of the given data sets, presets, tasks and seeds, and summarise the runs.

    Every run has its own directory in --out. The same command skips finished runs and continues stopped ones.
    """

    data: str = "digits"
    """Data sets, separated by commas: names, folders of images or .npz files."""
    preset: str = "quick"
    """Presets, separated by commas: quick, paper, released, stable, net."""
    task: str = "auto"
    """Tasks, separated by commas: auto, classify, reconstruct."""
    seeds: int = 3
    """Runs of each combination, with the seeds 0 to SEEDS - 1."""
    epochs: Epochs = None
    data_dir: DataDir = None
    set: Settings = ()
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
        """All combinations with all seeds."""
        if self.seeds < 1:
            raise ValueError(f"seeds must be at least 1, got {self.seeds}")
        data, presets, tasks = (names_of(name, getattr(self, name)) for name in ("data", "preset", "task"))
        if unknown := [task for task in tasks if task not in TASKS]:
            raise ValueError(f"task must be one of {', '.join(TASKS)}, got {unknown[0]!r}")
        common = {"epochs": self.epochs, "data_dir": self.data_dir}
        combinations = itertools.product(data, presets, [task for task in TASKS if task in tasks], range(self.seeds))
        return [
            preset(name, task, **with_settings({"data": source, "seed": seed, **common}, self.set))
            for source, name, task, seed in combinations
        ]


def run(options: Options) -> int:
    jobs = plan(options.configs(), options.out)
    resources = {name: getattr(options, name) for name in ("address", "threads", "gpus", "retries")}
    try:
        failures = run_jobs(jobs, **resources, progress=True)
    except KeyboardInterrupt:
        sys.stderr.write("stopped; the same command continues\n")
        raise
    if settings := summarise(jobs):
        write_summary(options.out / "summary.json", settings, failures)
        write_comparison(options.out / "summary.html", settings, failures)
        print(f"{table(settings)}\nsummary: {options.out / 'summary.json'}\npage: {options.out / 'summary.html'}")
    for name, reason in failures.items():
        sys.stderr.write(f"{name} failed: {reason}\n")
    return 1 if failures else 0
