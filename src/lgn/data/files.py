"""Reading files that a stranger may have made: bounded, checked, and named in every complaint."""

import gzip
import hashlib
import zlib
from pathlib import Path

from lgn.data.errors import DataError


def read_bytes(path: Path, limit: int, md5: str | None = None) -> bytes:
    """The content of a file, decompressed if it is gzip (told by its first bytes), of at most `limit` bytes.

    With `md5`, the *content* must have that checksum: a raw file and its `.gz` then answer to one number.
    """
    try:
        with path.open("rb") as file:
            is_gzip = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            if is_gzip:
                with gzip.GzipFile(fileobj=file) as unpacked:
                    content = unpacked.read(limit + 1)
            else:
                content = file.read(limit + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{path} is a truncated or damaged gzip file: {error}") from error
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from error
    if len(content) > limit:
        raise DataError(f"{path} holds more than the {limit:,} bytes that it may hold")
    if md5 is not None:
        found = hashlib.md5(content, usedforsecurity=False).hexdigest()
        if found != md5:
            raise DataError(f"{path} has a wrong checksum: its content has MD5 {found}, published is {md5}")
    return content


def packed_or_not(path: Path) -> Path | None:
    """A file, or its `.gz`; None where there is neither."""
    return next((each for each in (path, path.with_name(f"{path.name}.gz")) if each.is_file()), None)
