"""Ratios of times: what is compared shares its rounds."""

import time
from itertools import count

import pytest

from lgn.benchmarks.timing import ratios


def test_ratios_see_through_a_machine_that_slows_down() -> None:
    """Every call takes longer than the one before, sixfold in the end: the ratio within a round stays."""
    calls = count()

    def wait(seconds: float) -> None:
        time.sleep(seconds * (1 + next(calls) / 10))

    measured = ratios({"base": lambda: wait(0.005), "twice": lambda: wait(0.01)}, "base", 20)
    assert list(measured) == ["twice"]
    assert measured["twice"] == pytest.approx(2, rel=0.2)
