"""The benchmarks run, measure what they say, and can be read by people and by scripts. No time is asserted."""

import json

import pytest
import torch

from lgn.benchmarks.layers import describe, measure
from lgn.benchmarks.timing import interleaved


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


@pytest.mark.slow
def test_the_whole_measurement() -> None:
    state = torch.get_rng_state()
    result = json.loads(json.dumps(measure(quick=True)))
    assert torch.equal(torch.get_rng_state(), state)  # the random numbers of others are not touched
    layer = result["layer"]
    assert layer["step_ratio"] == pytest.approx(layer["step_ms"]["group"] / layer["step_ms"]["plain"])
    assert layer["merged_forward_ratio"] == pytest.approx(layer["forward_ms"]["merged"] / layer["forward_ms"]["plain"])
    text = describe(result)
    assert f"ratio {layer['step_ratio']:.3f}" in text
