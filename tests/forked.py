"""Processes of their own that start at once: forked from one that has imported torch and lgn, and done nothing else.

A process that a test starts spends two seconds on imports; here they are made once. Each has its own environment,
signals, output and exit status, as one that a shell starts.
"""

import importlib
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import weakref
from collections.abc import Sequence
from multiprocessing.context import ForkServerProcess
from pathlib import Path

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(
    ["forked", "lgn.cli", "lgn.commands.train_command", "lgn.commands.data_command", "torch._dynamo"]
)


class Forked:
    """A running process, with the words of `subprocess.Popen`."""

    def __init__(self, process: ForkServerProcess, directory: Path) -> None:
        self._process, self._directory = process, directory
        weakref.finalize(self, shutil.rmtree, directory, ignore_errors=True)

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self._process.exitcode

    def send_signal(self, number: signal.Signals) -> None:
        assert self._process.pid is not None
        os.kill(self._process.pid, number)

    def communicate(self, timeout: float = 300) -> tuple[str, str]:
        """Wait for its end.  -> what it printed, what it said"""
        self._process.join(timeout)
        if self._process.exitcode is None:
            self._process.kill()
            raise TimeoutError(f"it did not end in {timeout} s")
        out, err = ((self._directory / name).read_text() for name in ("stdout", "stderr"))
        return out, err

    def wait(self) -> int:
        self.communicate()
        assert self.returncode is not None
        return self.returncode

    def kill(self) -> None:
        self._process.kill()


def start(module: str, words: Sequence[str] = (), environment: dict[str, str] | None = None) -> Forked:
    """Call `module.main(words)` in a process of its own, with more variables, and exit with what it returns."""
    directory = Path(tempfile.mkdtemp())
    variables = {**os.environ, **(environment or {})}
    process = _context.Process(target=_run, args=(module, list(words), variables, directory))
    process.start()
    return Forked(process, directory)


def _run(module: str, words: list[str], environment: dict[str, str], directory: Path) -> None:
    os.environ.clear()
    os.environ.update(environment)
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(directory / name, os.O_WRONLY | os.O_CREAT), number)
    sys.exit(importlib.import_module(module).main(words))
