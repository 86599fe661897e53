"""The progress of all runs of a sweep, read from their directories."""

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from tqdm import tqdm

from lgn.sweep.jobs import Job
from lgn.training import Run

LOG_SECONDS = 60.0


@dataclass(frozen=True)
class Progress:
    """The progress of a run."""

    name: str
    epoch: int
    epochs: int
    quality: str
    finished: bool

    def __str__(self) -> str:
        return f"{self.name}: epoch {self.epoch} of {self.epochs}{self.quality}"


def progress_of(job: Job) -> Progress:
    """The progress of a run according to its metrics.jsonl."""
    run = Run(job.path)
    metrics = run.metrics
    quality = "".join(
        f", {key.replace('_', ' ')} {value:.4g}"
        for key, value in (metrics[-1] if metrics else {}).items()
        if key in ("test_accuracy", "test_error")
    )
    return Progress(job.name, len(metrics), job.config.epochs, quality, run.finished)


class Display:
    """A bar over the epochs of all runs and a line per finished run; in a log file, a line per minute too."""

    def __init__(self, jobs: Sequence[Job], shown: bool) -> None:
        self._jobs = list(jobs)
        self._progress = {job.name: progress_of(job) for job in self._jobs}
        self._live = shown and sys.stderr.isatty()
        self._log = shown and not self._live
        self._logged = time.monotonic()
        total, done = sum(job.config.epochs for job in self._jobs), self._epochs()
        self._bar = tqdm(total=total, initial=done, unit="epoch", disable=not self._live, dynamic_ncols=True)

    def update(self, failed: int) -> None:
        """Read the directories again and show the changes."""
        before = self._progress
        self._progress = {job.name: progress_of(job) for job in self._jobs}
        runs = list(self._progress.values())
        news = [str(run) for run in runs if run.finished and not before[run.name].finished]
        finished = sum(run.finished for run in runs)
        state = f"{finished} of {len(runs)} runs finished" + (f", {failed} failed" if failed else "")
        self._bar.set_description(state)
        self._bar.update(self._epochs() - self._bar.n)
        if self._live and news:
            self._bar.write("\n".join(news), sys.stderr)
        if self._log and (news or time.monotonic() - self._logged > LOG_SECONDS):
            sys.stderr.write("\n".join([*news, f"{state}, {self._epochs()} of {self._bar.total} epochs"]) + "\n")
            sys.stderr.flush()
            self._logged = time.monotonic()

    def close(self) -> None:
        """Remove the bar."""
        self._bar.close()

    def _epochs(self) -> int:
        return sum(run.epoch for run in self._progress.values())
