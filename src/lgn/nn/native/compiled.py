"""The compiled kernels of this machine: built once with its own compiler, or done without."""

import ctypes
import functools
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

SOURCES = tuple(Path(__file__).with_name(name) for name in ("step.c", "rows.h"))
FLAGS = ("-O3", "-march=native", "-fopenmp", "-shared", "-fPIC")


def library(patch: tuple[int, int]) -> ctypes.CDLL | None:
    """The kernels for filters of n x m, or None where there is no compiler, or another processor than they are for.

    The first call compiles them into the user's cache, which takes a second or two. `LGN_NATIVE=0` does without them.
    """
    if os.environ.get("LGN_NATIVE") == "0" or sys.platform != "linux":
        return None
    return _load(patch)


@functools.cache
def _load(patch: tuple[int, int]) -> ctypes.CDLL | None:
    try:
        path = _path(patch)
        # What is loaded can run: only from a file that is the user's own.
        return ctypes.CDLL(str(path)) if path is not None and path.stat().st_uid == os.getuid() else None
    except (OSError, RuntimeError, subprocess.SubprocessError):  # nowhere to keep it, or a compiler that cannot
        return None


def _path(patch: tuple[int, int]) -> Path | None:
    """The library's file, named by all that it depends on, compiled if it is not there."""
    processor, compiler = _processor(), shutil.which("cc")
    if compiler is None or not {"avx2", "fma"} <= set(processor.split()):
        return None
    # torch's own threads: a second pool beside it would fight it for the cores.
    pools = sorted(Path(torch.__file__).with_name("lib").glob("libgomp*"))[:1]
    command = [compiler, *FLAGS, f"-DROWS={patch[0]}", f"-DCOLUMNS={patch[1]}", str(SOURCES[0]), "-Wl,--as-needed"]
    command += map(str, pools)
    parts = [*command, processor, torch.__version__, *(source.read_text() for source in SOURCES)]
    path = _cache_directory() / f"step-{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:24]}.so"
    if not path.exists():
        _compile(command, path)
    return path


def _compile(command: list[str], path: Path) -> None:
    """The library appears whole: two processes that compile at once leave one."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as directory:
        made = Path(directory) / path.name
        subprocess.run([*command, "-o", str(made)], check=True, capture_output=True, timeout=300)
        made.replace(path)


def _cache_directory() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lgn" / "native"


def _processor() -> str:
    """Its model and what it can do, as Linux tells it: a library of one machine may not run on the next."""
    if platform.machine() != "x86_64":
        return ""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return " ".join(
        dict.fromkeys(line.partition(":")[2].strip() for line in lines if line.startswith(("model", "flags")))
    )
