"""The runs of a sweep: one run directory per config."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from lgn.training import Config, Run
from lgn.training.presets import nearest_preset


@dataclass(frozen=True)
class Job:
    """One run of a sweep: its config and its directory."""

    config: Config
    path: Path

    @property
    def name(self) -> str:
        """The name of the directory."""
        return self.path.name

    @property
    def setting(self) -> str:
        """`DATA-TASK-PRESET`, which runs with different seeds share."""
        return f"{Path(self.config.data).stem}-{self.config.task}-{nearest_preset(self.config)}"

    @property
    def finished(self) -> bool:
        """Whether the run is complete."""
        return Run(self.path).finished


def plan(configs: Iterable[Config], out: str | Path) -> list[Job]:
    """One job per config, in the directory `out / DATA-TASK-PRESET-SEED`.

    Configs with the same directory, and directories with a run of other settings, are refused.
    """
    jobs = [Job(config, Path(out)) for config in configs]
    jobs = [Job(job.config, job.path / f"{job.setting}-{job.config.seed}") for job in jobs]
    if not jobs:
        raise ValueError("configs must have at least one config, got none")
    names = [job.name for job in jobs]
    if repeated := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"configs must differ in data, task, preset or seed, got {repeated[0]} more than once")
    for job in jobs:
        if (job.path / "config.json").is_file():
            Run(job.path).require_settings(job.config)
    return jobs
