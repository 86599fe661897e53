"""Freed memory is kept for the next tensor, where the C library is glibc.

By itself, glibc maps each large block anew and gives it back when it is freed. A training step asks for the same large
tensors again and again: the system then spends its time on zeroing pages that are overwritten at once.
"""

import ctypes
import sys

M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4  # of malloc.h


def keep_freed_memory() -> bool:
    """From now on, this process keeps what it frees; False, and nothing is changed, where that cannot be asked for.

    The commands of `lgn` do it. A program of your own may: it is a setting of the whole process, which will not shrink
    after its largest moment.
    """
    # Windows has no such library, macOS and musl no such function in it.
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    return mallopt is not None and bool(mallopt(M_MMAP_MAX, 0)) and bool(mallopt(M_TRIM_THRESHOLD, -1))
