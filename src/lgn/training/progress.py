"""The progress of a training: a bar in a terminal, a line per epoch in a log file."""

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tqdm import tqdm

from lgn.training.checkpoint import State

REFRESH_SECONDS = 0.2


class Progress:
    """The progress of a whole training, with the time that is left.

    `total` is the number of steps, of which `done` were taken before this process started.
    """

    def __init__(self, total: int, done: int, shown: bool) -> None:
        self._live = shown and sys.stderr.isatty()
        self._log = shown and not self._live
        self._bar = tqdm(total=total, initial=done, disable=not self._live, unit="step", dynamic_ncols=True)
        self._total, self._first, self._done = total, done, done
        self._began = self._refreshed = time.monotonic()

    def step(self, state: State, epochs: int) -> None:
        """Count a step. The means of the epoch are read from the device only when they are shown."""
        self._done += 1
        if self._live and time.monotonic() - self._refreshed > REFRESH_SECONDS:
            self._refreshed = time.monotonic()
            self._bar.set_description(f"epoch {state.epoch + 1}/{epochs}", refresh=False)
            self._bar.set_postfix({name: f"{value:.4g}" for name, value in state.means().items()}, refresh=False)
            self._bar.update(self._done - self._bar.n)

    def epoch(self, line: dict[str, Any], epochs: int) -> None:
        """Write the line of an epoch to a log file."""
        if not self._log:
            return
        spent = time.monotonic() - self._began
        left = spent / max(self._done - self._first, 1) * (self._total - self._done)
        shown = {k: v for k, v in line.items() if k not in ("epoch", "seconds") and isinstance(v, float)}
        values = "  ".join(f"{name} {value:.4g}" for name, value in shown.items())
        text = f"epoch {line['epoch']}/{epochs}  {values}  {line['seconds']:.0f} s, about {left / 60:.0f} min left"
        sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def close(self) -> None:
        """Remove the bar."""
        self._bar.close()


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
