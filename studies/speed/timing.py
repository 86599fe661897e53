"""Timing on a busy machine: interleaved rounds, then the minimum of each function, or ratios within rounds."""

import time
from collections.abc import Callable
from statistics import median
from typing import Any

import torch

Functions = dict[str, Callable[[], Any]]


def interleaved(
    functions: Functions, rounds: int = 50, *, threads: int | None = None, warm_up: int = 3
) -> dict[str, float]:
    """The fewest milliseconds that each function took, over rounds that call them all in turn.

    Noise only ever adds time, so minima compare where means do not.
    """
    found = timed(functions, rounds, threads, warm_up)
    return {name: min(times[name] for times in found) for name in functions}


def ratios(functions: Functions, base: str, rounds: int = 50, *, threads: int | None = None) -> dict[str, float]:
    """The time of each function over that of `base`: the median over rounds of the ratio within a round.

    For differences of a few percent: a minimum is one lucky moment, and two functions need not share it.
    """
    found = timed(functions, rounds, threads)
    return {name: median(times[name] / times[base] for times in found) for name in functions if name != base}


def timed(functions: Functions, rounds: int, threads: int | None, warm_up: int = 3) -> list[dict[str, float]]:
    """Milliseconds of every function in every round. Each round starts at another function."""
    names, before = list(functions), torch.get_num_threads()
    found = []
    torch.set_num_threads(before if threads is None else threads)
    try:
        for number in range(-warm_up, rounds):
            times = {}
            for place in range(len(names)):
                name = names[(place + number) % len(names)]
                start = time.perf_counter()
                functions[name]()
                times[name] = 1e3 * (time.perf_counter() - start)
            found.append(times)
    finally:
        torch.set_num_threads(before)
    return found[warm_up:]
