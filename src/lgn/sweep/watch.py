"""All runs of a sweep in one display, read from their directories."""

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from tqdm import tqdm

from lgn.sweep.plan import Job
from lgn.training import Run

LOG_SECONDS = 60.0


@dataclass(frozen=True)
class Place:
    """How far a run is, by its directory."""

    name: str
    epoch: int
    epochs: int
    quality: str
    finished: bool

    def __str__(self) -> str:
        return f"{self.name}: epoch {self.epoch} of {self.epochs}{self.quality}"


def place_of(job: Job) -> Place:
    """What metrics.jsonl says; a run that has ended no epoch yet is at 0."""
    run = Run(job.path)
    metrics = run.metrics
    quality = "".join(
        f", {key.replace('_', ' ')} {value:.4g}"
        for key, value in (metrics[-1] if metrics else {}).items()
        if key in ("test_accuracy", "test_error")
    )
    return Place(job.name, len(metrics), job.config.epochs, quality, run.finished)


class Watch:
    """A bar over the epochs of all runs, and a line for each that has finished; in a log file, one now and then too."""

    def __init__(self, jobs: Sequence[Job], shown: bool) -> None:
        self._jobs = list(jobs)
        self._places = {job.name: place_of(job) for job in self._jobs}
        self._live = shown and sys.stderr.isatty()
        self._log = shown and not self._live
        self._logged = time.monotonic()
        total, done = sum(job.config.epochs for job in self._jobs), self._epochs()
        self._bar = tqdm(total=total, initial=done, unit="epoch", disable=not self._live, dynamic_ncols=True)

    def update(self, failed: int) -> None:
        """Read the directories again and show what changed."""
        before = self._places
        self._places = {job.name: place_of(job) for job in self._jobs}
        places = list(self._places.values())
        news = [str(place) for place in places if place.finished and not before[place.name].finished]
        finished = sum(place.finished for place in places)
        state = f"{finished} of {len(places)} runs finished" + (f", {failed} failed" if failed else "")
        self._bar.set_description(state)
        self._bar.update(self._epochs() - self._bar.n)
        if self._live and news:
            self._bar.write("\n".join(news), sys.stderr)
        if self._log and (news or time.monotonic() - self._logged > LOG_SECONDS):
            sys.stderr.write("\n".join([*news, f"{state}, {self._epochs()} of {self._bar.total} epochs"]) + "\n")
            sys.stderr.flush()
            self._logged = time.monotonic()

    def close(self) -> None:
        self._bar.close()

    def _epochs(self) -> int:
        return sum(place.epoch for place in self._places.values())
