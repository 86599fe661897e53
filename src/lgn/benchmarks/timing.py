"""Timing that a busy machine does not spoil: interleaved runs, and the minimum of each."""

import time
from collections.abc import Callable
from typing import Any

import torch


def interleaved(
    functions: dict[str, Callable[[], Any]], rounds: int = 50, *, threads: int | None = None, warm_up: int = 3
) -> dict[str, float]:
    """The fewest milliseconds that each function took, over rounds that call them all in turn.

    Functions that share every round meet the same machine, and noise only ever adds time: minima compare where means
    do not. Each round starts at another function, so that none always follows the same one. `threads` is torch's
    thread count while the functions run, and what it was afterwards.
    """
    if not functions:
        raise ValueError("functions must hold at least one function, got none")
    if rounds < 1:
        raise ValueError(f"rounds must be at least 1, got {rounds}")
    if threads is not None and threads < 1:
        raise ValueError(f"threads must be at least 1, got {threads}")
    names, before = list(functions), torch.get_num_threads()
    best = dict.fromkeys(names, float("inf"))
    torch.set_num_threads(before if threads is None else threads)
    try:
        for number in range(-warm_up, rounds):
            for place in range(len(names)):
                name = names[(place + number) % len(names)]
                start = time.perf_counter()
                functions[name]()
                elapsed = 1e3 * (time.perf_counter() - start)
                if number >= 0:
                    best[name] = min(best[name], elapsed)
    finally:
        torch.set_num_threads(before)
    return best
