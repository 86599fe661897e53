"""A progress bar for people; a line an epoch for log files."""

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tqdm import tqdm


class Progress:
    """Shows loss, quality, penalty and the time left of a whole training.

    total, done: steps in all, and those that were made before it went on.
    """

    def __init__(self, total: int, done: int, shown: bool) -> None:
        self._live = shown and sys.stderr.isatty()
        self._log = shown and not self._live
        self._bar = tqdm(total=total, initial=done, disable=not self._live, unit="step", dynamic_ncols=True)
        self._total, self._first, self._done, self._began = total, done, done, time.monotonic()

    def step(self, epoch: int, epochs: int, values: dict[str, float]) -> None:
        self._done += 1
        if self._live:
            self._bar.set_description(f"epoch {epoch}/{epochs}")
            self._bar.set_postfix({name: f"{value:.4g}" for name, value in values.items()}, refresh=False)
            self._bar.update()

    def epoch(self, line: dict[str, Any], epochs: int) -> None:
        """A line in the log when an epoch is done."""
        if self._log:
            spent = time.monotonic() - self._began
            left = spent / max(self._done - self._first, 1) * (self._total - self._done)
            shown = {k: v for k, v in line.items() if k not in ("epoch", "seconds") and isinstance(v, float)}
            values = "  ".join(f"{name} {value:.4g}" for name, value in shown.items())
            text = f"epoch {line['epoch']}/{epochs}  {values}  {line['seconds']:.0f} s, about {left / 60:.0f} min left"
            sys.stderr.write(text + "\n")
            sys.stderr.flush()

    def close(self) -> None:
        self._bar.close()


@contextmanager
def interruptible() -> Iterator[list[int]]:
    """Turn Ctrl-C and SIGTERM into a request that is met between two steps, where the state is whole.

    -> the signals that have come
    """
    asked: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return
    before = {number: signal.signal(number, lambda n, _: asked.append(n)) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
