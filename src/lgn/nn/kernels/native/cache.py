"""The cache of compiled kernels: a directory that belongs to this user only, accessed by its descriptor.

A loaded library can run any code. A path may lead to another file a moment after it was checked. A descriptor cannot:
the directory and the file that were checked are those that are used.
"""

import hashlib
import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_DIGEST = hashlib.sha256().digest_size


@contextmanager
def own_directory(path: Path) -> Iterator[int]:
    """The descriptor of a directory that no other user can read or write; it is made if it does not exist."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        status = os.fstat(descriptor)
        if status.st_uid != os.geteuid() or status.st_mode & 0o777 != 0o700:
            raise PermissionError(
                f"{path} must be of user {os.geteuid()} with mode 700, "
                f"it is of user {status.st_uid} with mode {status.st_mode & 0o777:o}"
            )
        yield descriptor
    finally:
        os.close(descriptor)


def open_checked(directory: int, name: str) -> int | None:
    """A descriptor of a file of `write_checked`; None if it does not exist, is damaged, or belongs to another user."""
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=directory)
    except OSError:
        return None
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o022:
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            content = file.read()
        if content[-_DIGEST:] == hashlib.sha256(content[:-_DIGEST]).digest():
            return descriptor
    os.close(descriptor)
    return None


def write_checked(directory: int, name: str, content: bytes) -> None:
    """Write content and, at its end, a checksum, which the loader of libraries ignores; whole or not at all."""
    temporary = f".{secrets.token_hex(8)}"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=directory)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content + hashlib.sha256(content).digest())
        os.replace(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
    except BaseException:
        os.unlink(temporary, dir_fd=directory)
        raise


@contextmanager
def locked(directory: int, seconds: float) -> Iterator[None]:
    """Lock a directory for one process, whose end releases the lock. TimeoutError if it is not free in time."""
    import fcntl  # noqa: PLC0415  (which Windows does not have)

    descriptor = os.open(".lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600, dir_fd=directory)
    try:
        end = time.monotonic() + seconds
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > end:
                    raise TimeoutError(f"another process has been compiling for more than {seconds:.0f} s") from None
                time.sleep(0.05)
            except OSError:  # a file system without locks: two processes may compile, and one result stays
                break
        yield
    finally:
        os.close(descriptor)
