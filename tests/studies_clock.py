"""A clock that stands still but for what functions are said to take."""

import pytest


class Clock:
    """In place of `time` for what is timed: `take(0.5)` lets half a second pass."""

    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        return self.now

    def take(self, seconds: float) -> None:
        self.now += seconds


def stopped(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of `studies.speed.timing`, in our hands."""
    clock = Clock()
    monkeypatch.setattr("studies.speed.timing.time", clock)
    return clock
