"""Keep freed memory for the next tensor, if the C library is glibc.

Without this setting, glibc maps every large block anew and returns it to the system when it is freed. A training step
allocates the same large tensors again and again, so the system would zero pages that are overwritten at once.
"""

import ctypes
import sys

M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4  # of malloc.h


def keep_freed_memory() -> bool:
    """Let this process keep the memory that it frees; return whether the C library supports it.

    The commands of `lgn` call this. It is a setting of the whole process, whose memory will not shrink after its
    largest moment.
    """
    # Windows has no such library, and macOS and musl have no such function in theirs.
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    return mallopt is not None and bool(mallopt(M_MMAP_MAX, 0)) and bool(mallopt(M_TRIM_THRESHOLD, -1))
