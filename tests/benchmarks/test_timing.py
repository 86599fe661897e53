"""Ratios of times: what is compared shares its rounds."""

from itertools import count

import pytest
from benchmarks.clock import stopped

from lgn.benchmarks.timing import interleaved, ratios


def test_ratios_see_through_a_machine_that_slows_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every call takes longer than the one before, sixfold in the end: the ratio within a round stays."""
    calls, clock = count(), stopped(monkeypatch)

    def wait(seconds: float) -> None:
        clock.take(seconds * (1 + next(calls) / 10))

    measured = ratios({"base": lambda: wait(0.005), "twice": lambda: wait(0.01)}, "base", 20)
    assert list(measured) == ["twice"]
    assert measured["twice"] == pytest.approx(2, rel=0.05)


def test_the_minimum_is_taken_and_the_warm_up_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    waits, clock = iter([0.001, 0.03, 0.01, 0.02]), stopped(monkeypatch)  # the first is the warm-up
    times = interleaved({"wait": lambda: clock.take(next(waits))}, rounds=3, warm_up=1)
    assert times == {"wait": pytest.approx(10)}
