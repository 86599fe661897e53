"""Limits on the memory of a data set and of the work on it."""

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
