"""`lgn sweep`: many runs, on one machine or many, and what they say together."""

import itertools
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import tyro

from lgn.commands.options import parse_config
from lgn.sweep import plan, run_jobs, summarise, table, write_comparison, write_summary
from lgn.training import Config

HELP = """Train every combination of the given data, presets, tasks and seeds, and summarise them.

Options of `lgn train` that are not listed here are given to every run. Each run has its own directory below --out;
those that are finished are not run again, and those that were stopped continue."""


@dataclass(frozen=True)
class Options:
    """The sweep itself."""

    data: str = "digits"
    """Named sets, folders of images or .npz files, separated by commas."""
    preset: str = "quick"
    """Presets, separated by commas: quick, paper, released."""
    task: str = "auto"
    """Tasks, separated by commas: auto, classify, reconstruct."""
    seeds: int = 3
    """Runs of each combination, with the seeds 0 to SEEDS - 1."""
    out: Path = Path("runs/sweep")
    """Where the directories of the runs, summary.json and summary.html go."""
    address: str | None = None
    """Address of a Ray cluster; without it, this machine."""
    threads: int | None = None
    """Processors of each run; by default those that are there, divided by the runs."""
    gpus: float = 0.0
    """GPUs of each run; a part of one, such as 0.25, lets runs share it."""
    retries: int = 3
    """How often a worker that dies is replaced."""


def run(args: list[str]) -> int:
    options, rest = tyro.cli(Options, prog="lgn sweep", description=HELP, args=args, return_unknown_args=True)
    jobs = plan(configs_of(options, rest), options.out)
    try:
        failures = run_jobs(
            jobs, address=options.address, threads=options.threads, gpus=options.gpus, retries=options.retries
        )
    except KeyboardInterrupt:
        print("stopped; the same command continues", file=sys.stderr)
        raise
    settings = summarise(jobs)
    if settings:
        write_summary(options.out / "summary.json", settings, failures)
        write_comparison(options.out / "summary.html", settings, failures)
        print(table(settings))
        print(f"summary: {options.out / 'summary.json'}\npage: {options.out / 'summary.html'}")
    for name, reason in failures.items():
        print(f"{name} failed: {reason}", file=sys.stderr)
    return 1 if failures else 0


def configs_of(options: Options, rest: list[str]) -> list[Config]:
    """The product of the settings, each for all seeds."""
    if options.seeds < 1:
        raise ValueError(f"seeds must be at least 1, got {options.seeds}")
    if any(word == "--seed" or word.startswith("--seed=") for word in rest):
        raise ValueError("seed must not be given to a sweep: --seeds N runs the seeds 0 to N - 1")
    lists = [_listed(name, getattr(options, name)) for name in ("data", "preset", "task")]
    configs = [
        parse_config([data, "--preset", preset, "--task", task, *rest], "lgn sweep", HELP)
        for data, preset, task in itertools.product(*lists)
    ]
    return [replace(config, seed=seed) for config in configs for seed in range(options.seeds)]


def _listed(name: str, text: str) -> list[str]:
    words = text.split(",")
    if not all(words):
        raise ValueError(f"{name} must be names separated by single commas, got {text!r}")
    return words
