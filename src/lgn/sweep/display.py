"""The progress of all runs of a sweep, read from their directories."""

import sys
import time
from collections.abc import Sequence

from tqdm import tqdm

from lgn.sweep.jobs import Job
from lgn.training import Run

LOG_SECONDS = 60.0


class Display:
    """A bar over the epochs of all runs and a line per finished run; in a log file, a line per minute too."""

    def __init__(self, jobs: Sequence[Job], shown: bool) -> None:
        self._jobs = list(jobs)
        self._finished = {job.name for job in jobs if job.finished}
        self._live = shown and sys.stderr.isatty()
        self._log = shown and not self._live
        self._logged = time.monotonic()
        total = sum(job.config.epochs for job in jobs)
        self._bar = tqdm(total=total, initial=self._epochs(), unit="epoch", disable=not self._live, dynamic_ncols=True)

    def update(self, failed: int) -> None:
        """Read the directories again and show the changes."""
        news = [progress_of(job) for job in self._jobs if job.name not in self._finished and job.finished]
        self._finished = {job.name for job in self._jobs if job.finished}
        epochs = self._epochs()
        state = f"{len(self._finished)} of {len(self._jobs)} runs finished" + (f", {failed} failed" if failed else "")
        self._bar.set_description(state)
        self._bar.update(epochs - self._bar.n)
        if self._live and news:
            self._bar.write("\n".join(news), sys.stderr)
        if self._log and (news or time.monotonic() - self._logged > LOG_SECONDS):
            sys.stderr.write("\n".join([*news, f"{state}, {epochs} of {self._bar.total} epochs"]) + "\n")
            sys.stderr.flush()
            self._logged = time.monotonic()

    def close(self) -> None:
        """Remove the bar."""
        self._bar.close()

    def _epochs(self) -> int:
        return sum(len(Run(job.path).metrics) for job in self._jobs)


def progress_of(job: Job) -> str:
    """The epochs and the last measurements of a run, according to its metrics.jsonl."""
    metrics = Run(job.path).metrics
    measured = metrics[-1].items() if metrics else ()
    kept = (
        f", {key.replace('_', ' ')} {value:.4g}" for key, value in measured if key in ("test_accuracy", "test_error")
    )
    return f"{job.name}: epoch {len(metrics)} of {job.config.epochs}{''.join(kept)}"
