"""Ratios of times: what is compared shares its rounds."""

from itertools import count

import pytest
import torch
from studies_clock import stopped

from studies.speed.timing import interleaved, ratios


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


def test_functions_take_turns() -> None:
    calls: list[str] = []
    times = interleaved({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, rounds=5, warm_up=1)
    assert calls.count("a") == calls.count("b") == 6
    assert all({calls[i], calls[i + 1]} == {"a", "b"} for i in range(0, 12, 2))
    assert calls[0] != calls[2]  # each round starts at another
    assert set(times) == {"a", "b"}


def test_the_thread_count_is_given_back() -> None:
    before, seen = torch.get_num_threads(), set()

    def fail() -> None:
        seen.add(torch.get_num_threads())
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        interleaved({"f": fail}, threads=before + 1)
    assert seen == {before + 1}
    assert torch.get_num_threads() == before


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match="functions must hold at least one function, got none"):
        interleaved({})
    with pytest.raises(ValueError, match="rounds must be at least 1, got 0"):
        interleaved({"f": int}, rounds=0)
    with pytest.raises(ValueError, match="threads must be at least 1, got 0"):
        interleaved({"f": int}, threads=0)
