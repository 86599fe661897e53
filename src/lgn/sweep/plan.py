"""What a sweep consists of: one run directory for each config."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from lgn.training import Config, Run
from lgn.training.presets import nearest_preset


@dataclass(frozen=True)
class Job:
    """One run of a sweep: what is trained, and where it goes."""

    config: Config
    path: Path

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def setting(self) -> str:
        """What the runs of several seeds have in common."""
        return setting_of(self.config)

    @property
    def finished(self) -> bool:
        return Run(self.path).finished


def plan(configs: Iterable[Config], out: str | Path) -> list[Job]:
    """A job for each config, in the directory `out / DATA-TASK-PRESET-SEED`.

    Refuses, before anything is trained, two configs that would share a directory, and a directory that holds a run
    with other settings.
    """
    jobs = [Job(config, Path(out) / f"{setting_of(config)}-{config.seed}") for config in configs]
    if not jobs:
        raise ValueError("configs must have at least one config, got none")
    names = [job.name for job in jobs]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"configs must differ in data, task, preset or seed, got {twice[0]} more than once")
    for job in jobs:
        if (job.path / "config.json").is_file():
            Run(job.path).require_settings(job.config)
    return jobs


def setting_of(config: Config) -> str:
    """`DATA-TASK-PRESET`, with a folder or a file by its last name."""
    return f"{Path(config.data).stem}-{config.task}-{nearest_preset(config)}"
