"""One process at a time in a run directory, and no directory that holds something else."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from lgn.files import PARTIAL


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Refuse a second process; the lock goes with the process that holds it."""
    _require_own_directory(path)
    path.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path / ".lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise ValueError(f"out must not be in use, {path} is being trained by another process") from None
    try:
        for unfinished in path.glob(f".*{PARTIAL}"):  # of a process that was killed while it wrote
            unfinished.unlink()
        yield
    finally:
        lock.release()


def _require_own_directory(path: Path) -> None:
    """Refuse a directory that holds something else, before anything is written to it."""
    if (path / "config.json").is_file() or not path.exists():
        return
    if not path.is_dir():
        raise ValueError(f"out must be a directory, {path} is a file")
    # A process that was killed as it began may have left the first of its files; symmetries are asked before.
    ours = ("environment.json", "symmetries.json", "build.json")
    foreign = sorted(e.name for e in path.iterdir() if not e.name.startswith(".") and e.name not in ours)
    if foreign:
        raise ValueError(f"out must be empty or a run directory, {path} has {foreign[0]}")
