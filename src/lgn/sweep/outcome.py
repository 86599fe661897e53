"""The statistics of a sweep: mean, standard deviation and confidence interval over runs."""

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import torch

from lgn.analysis import scores
from lgn.files import write_json
from lgn.generators import generators_of, matrices_by_size
from lgn.measures import closure_error
from lgn.stats import CONFIDENCE, student_interval
from lgn.sweep.jobs import Job
from lgn.text import columns
from lgn.training import Run
from lgn.training.evaluation import kept_epoch


@dataclass(frozen=True)
class Spread:
    """A quantity over runs. A single run has no deviation and no interval."""

    values: tuple[float, ...]
    mean: float
    deviation: float | None = None
    interval: tuple[float, ...] = ()


@dataclass(frozen=True)
class Setting:
    """The runs of one setting and their quantities."""

    name: str
    runs: tuple[str, ...]
    quantities: dict[str, Spread]


def spread_of(values: Sequence[float], confidence: float = CONFIDENCE) -> Spread:
    """Mean, standard deviation (n - 1) and Student's interval `mean +- t s / sqrt(n)`."""
    if not values:
        raise ValueError("values must have at least one number, got none")
    mean, *interval = student_interval(values, confidence)
    if len(values) == 1:
        return Spread(tuple(values), mean)
    return Spread(tuple(values), mean, statistics.stdev(values), tuple(interval))


def summarise(jobs: Sequence[Job]) -> list[Setting]:
    """The settings of a sweep with at least one finished run."""
    settings = []
    for name in dict.fromkeys(job.setting for job in jobs):
        finished = [job for job in jobs if job.setting == name and job.finished]
        if not finished:
            continue
        rows = [quantities_of(Run(job.path)) for job in finished]
        estimates = {key: spread_of([row[key] for row in rows]) for key in rows[0]}
        settings.append(Setting(name, tuple(job.name for job in finished), estimates))
    return settings


def quantities_of(run: Run) -> dict[str, float]:
    """The quality of a run on the test images, and every structure score, averaged over its generators."""
    kept = kept_epoch(run.metrics)
    result = {
        name.replace("_", " "): float(value) for name, value in kept.items() if name in ("test_accuracy", "test_error")
    }
    generators = generators_of(run.model())
    if not generators:  # free filters
        return result
    (patch,) = {generator.patch for generator in generators.values()}
    with torch.no_grad():
        for (_, order), matrices in matrices_by_size(generators.values()).items():
            structure = scores.score(matrices.double(), patch)
            result["closure error"] = float(closure_error(matrices.double(), order).mean())
            result |= {name: float(values.mean()) for name, values in structure.items()}
    return result


def write_summary(path: Path, settings: Sequence[Setting], failures: dict[str, str]) -> None:
    """Write the summary and the failures as JSON."""
    stored = [asdict(setting) for setting in settings]
    write_json(path, {"confidence": CONFIDENCE, "settings": stored, "failures": failures})


def table(settings: Sequence[Setting]) -> str:
    """The summary as text: a block per setting, a row per quantity."""
    blocks = []
    for setting in settings:
        rows = [("  quantity", "mean", "deviation", "95 % interval")]
        for name, value in setting.quantities.items():
            deviation = "-" if value.deviation is None else f"{value.deviation:.4f}"
            interval = " to ".join(f"{end:.4f}" for end in value.interval) or "-"
            rows.append((f"  {name}", f"{value.mean:.4f}", deviation, interval))
        runs = f"{len(setting.runs)} run{'s' if len(setting.runs) > 1 else ''}"
        blocks.append("\n".join([f"{setting.name}, {runs}", *columns(rows)]))
    return "\n\n".join(blocks)
