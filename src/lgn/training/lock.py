"""The lock of a run directory: one process at a time trains in it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from lgn.files import PARTIAL

#: Files that may be in a directory before the config of a run is written.
ALLOWED = ("environment.json", "answer.json", "answer.html", "question.json", "data.npz")


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Lock a run directory. A process that is killed releases the lock.

    A directory with other files is refused before anything is written to it.
    """
    if path.exists() and not (path / "config.json").is_file():
        if not path.is_dir():
            raise ValueError(f"out must be a directory, {path} is a file")
        foreign = sorted(e.name for e in path.iterdir() if not e.name.startswith(".") and e.name not in ALLOWED)
        if foreign:
            raise ValueError(f"out must be empty or a run directory, {path} has {foreign[0]}")
    path.mkdir(parents=True, exist_ok=True)
    try:
        held = FileLock(path / ".lock").acquire(timeout=0)
    except Timeout:
        raise ValueError(f"out must not be in use, {path} is being trained by another process") from None
    with held:
        for unfinished in path.glob(f".*{PARTIAL}"):  # files of a process that was killed while it wrote
            unfinished.unlink()
        yield
