"""Timing that a busy machine does not spoil: interleaved runs, the minimum of each, or ratios round by round."""

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

    Functions that share every round meet the same machine, and noise only ever adds time: minima compare where means
    do not. Each round starts at another function, so that none always follows the same one. `threads` is torch's
    thread count while the functions run, and what it was afterwards.
    """
    made = timed(functions, rounds, threads, warm_up)
    return {name: min(each[name] for each in made) for name in functions}


def ratios(functions: Functions, base: str, rounds: int = 50, *, threads: int | None = None) -> dict[str, float]:
    """The time of each function over that of `base`: the median over rounds of the ratio within a round.

    For differences of a few percent: a minimum is one lucky moment, and two functions need not share it.
    """
    made = timed(functions, rounds, threads, warm_up=3)
    return {name: median(each[name] / each[base] for each in made) for name in functions if name != base}


def timed(functions: Functions, rounds: int, threads: int | None, warm_up: int) -> list[dict[str, float]]:
    """Milliseconds of every function in every round."""
    if not functions:
        raise ValueError("functions must hold at least one function, got none")
    if rounds < 1:
        raise ValueError(f"rounds must be at least 1, got {rounds}")
    if threads is not None and threads < 1:
        raise ValueError(f"threads must be at least 1, got {threads}")
    names, before = list(functions), torch.get_num_threads()
    made = []
    torch.set_num_threads(before if threads is None else threads)
    try:
        for number in range(-warm_up, rounds):
            times = {}
            for place in range(len(names)):
                name = names[(place + number) % len(names)]
                start = time.perf_counter()
                functions[name]()
                times[name] = 1e3 * (time.perf_counter() - start)
            made.append(times)
    finally:
        torch.set_num_threads(before)
    return made[warm_up:]
