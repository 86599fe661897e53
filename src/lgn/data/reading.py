"""Reading files of unknown origin: limits on bytes, and checksums."""

import gzip
import hashlib
import zlib
from pathlib import Path

from lgn.data.errors import DataError

MAX_BYTES = 2 * 2**30  # of one data set; reading may need three times as much for a moment
PIECE = 2**23  # values of one step of work: 34 MB of float32


def require_image_bytes(count: int, channels: int, height: int, width: int) -> None:
    """Refuse images that would need too many bytes, before they are read."""
    what, hint = f"{count} images of {height}x{width}", "; choose a smaller image_size (--image-size)"
    require_bytes(count * channels * height * width, what, hint)


def require_bytes(size: int, what: str, hint: str = "") -> None:
    """Refuse a data set that would need too many bytes."""
    if size > MAX_BYTES:
        raise DataError(f"{what} need {size:,} bytes, allowed are {MAX_BYTES:,}{hint}")


def read_bytes(path: Path, limit: int, md5: str | None = None) -> bytes:
    """The content of a file of at most `limit` bytes. Content that begins as gzip does is decompressed.

    md5: checksum of the decompressed content; a file and its `.gz` have the same.
    """
    try:
        with path.open("rb") as file:
            is_gzip = file.peek(2)[:2] == b"\x1f\x8b"
            content = (gzip.GzipFile(fileobj=file) if is_gzip else file).read(limit + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{path} is a truncated or damaged gzip file: {error}") from error
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from error
    if len(content) > limit:
        raise DataError(f"{path} must have at most {limit:,} bytes, it has more")
    if md5 is not None:
        found = hashlib.md5(content, usedforsecurity=False).hexdigest()
        if found != md5:
            raise DataError(f"{path} has the wrong checksum: MD5 must be {md5}, got {found}")
    return content


def plain_or_gzip(*paths: Path) -> Path | None:
    """The first of these files, or of the files with `.gz` added, that exists; None if none does."""
    candidates = (candidate for path in paths for candidate in (path, path.with_name(f"{path.name}.gz")))
    return next((candidate for candidate in candidates if candidate.is_file()), None)
