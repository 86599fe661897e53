"""The progress of a training, and requests to stop it."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from tqdm import tqdm


def step_bar(total: int, done: int, shown: bool) -> "tqdm[NoReturn]":
    """A bar of steps in a terminal; `done` of them were taken before this process started."""
    hidden = not (shown and sys.stderr.isatty())
    return tqdm(total=total, initial=done, disable=hidden, unit="step", dynamic_ncols=True, leave=False)


def write_epoch(line: dict[str, Any], epochs: int) -> None:
    """Write the measurements of an epoch as a line, also in a log file."""
    shown = {k: v for k, v in line.items() if k not in ("epoch", "seconds") and isinstance(v, float)}
    values = "  ".join(f"{name} {value:.4g}" for name, value in shown.items())
    tqdm.write(f"epoch {line['epoch']}/{epochs}  {values}  {line['seconds']:.0f} s", file=sys.stderr)


@contextmanager
def stop_requests() -> Iterator[list[int]]:
    """Collect Ctrl-C and SIGTERM in a list, so that the training can stop between two steps."""
    received: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield received
        return
    signals = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, lambda n, _: received.append(n)) for number in signals}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
