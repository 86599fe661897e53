"""How much memory a set may take, and how much the work on it."""

from lgn.data.errors import DataError

# What one set may take: more than any that we name (CIFAR-10 takes 184 MB), and three times it, for a moment, is still
# less than a small machine has.
MAX_BYTES = 2 * 2**30
PIECE = 2**23  # values that are computed with at a time: 34 MB of float32


def require_room(count: int, channels: int, height: int, width: int) -> None:
    """Refuse images, in bytes, that a set may not hold, before there are any."""
    what, hint = f"{count} images of {height}x{width}", "; choose a smaller image_size (--image-size)"
    require_bytes(count * channels * height * width, what, hint)


def require_bytes(size: int, what: str, hint: str = "") -> None:
    """Refuse more bytes than a set may have."""
    if size > MAX_BYTES:
        raise DataError(f"{what} take {size:,} bytes, allowed are {MAX_BYTES:,}{hint}")
