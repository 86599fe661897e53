"""The compiled kernels of this machine: built once with its own compiler, or done without."""

import ctypes
import hashlib
import os
import platform
import secrets
import shlex
import shutil
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import torch

from lgn.nn.kernels.native.cache import locked, open_checked, own_directory, write_checked

SOURCES = tuple(Path(__file__).with_name(name) for name in ("step.c", "rows.h"))
FLAGS = ("-O3", "-march=native", "-fopenmp", "-shared", "-fPIC")
SECONDS = 60.0  # for the compiler, which needs one on a machine that is not busy

_loaded: dict[tuple[int, int], ctypes.CDLL | None] = {}


class CannotBuild(Exception):
    """The compiler did not make the kernels."""


def kernels_for(patch: tuple[int, int], say: Callable[[str], None] | None = None) -> ctypes.CDLL | None:
    """The kernels for filters of n x m, or None where there is no compiler, or another processor than they are for.

    The first call on a machine compiles them into the user's cache, which takes a second or two; `say` is told. The
    compiler is `CC`, or `cc`; one that fails is not asked again until it changes. `LGN_NATIVE=0` does without.
    """
    if os.environ.get("LGN_NATIVE") == "0" or sys.platform != "linux":
        return None
    if patch not in _loaded:
        _loaded[patch] = _load(patch, say)
    return _loaded[patch]


def _load(patch: tuple[int, int], say: Callable[[str], None] | None) -> ctypes.CDLL | None:
    try:
        processor, compiler = _processor(), _compiler()
        if not compiler or not {"avx2", "fma"} <= set(processor.split()):
            return None
        path = _cache_directory()
        with own_directory(path) as directory:
            descriptor = _obtain(patch, compiler, processor, directory, path, say)
    except (OSError, RuntimeError, CannotBuild) as error:  # nowhere to keep them, or a compiler that cannot
        warnings.warn(f"the compiled kernels are not used: {error}", RuntimeWarning, stacklevel=2)
        return None
    if descriptor is None:
        return None
    try:
        # The descriptor stays open: libraries are known by their names, and this number must not name another.
        return ctypes.CDLL(f"/proc/self/fd/{descriptor}")
    except OSError as error:  # such as a file system that nothing may run from
        os.close(descriptor)
        warnings.warn(f"the compiled kernels are not used: {error}", RuntimeWarning, stacklevel=2)
        return None


def _obtain(
    patch: tuple[int, int],
    compiler: list[str],
    processor: str,
    directory: int,
    path: Path,
    say: Callable[[str], None] | None,
) -> int | None:
    """A descriptor of the library, named by all that it depends on, compiled if it is not there; None if it cannot be.

    A failure leaves a file of the same name, so that no process asks the same compiler again.
    """
    # torch's own threads: a second pool beside it would fight it for the cores.
    pools = map(str, sorted(Path(torch.__file__).with_name("lib").glob("libgomp*"))[:1])
    command = [*compiler, *FLAGS, f"-DROWS={patch[0]}", f"-DCOLUMNS={patch[1]}", str(SOURCES[0]), "-Wl,--as-needed"]
    command += pools
    parts = [*command, *_versions(compiler), processor, torch.__version__, *(each.read_text() for each in SOURCES)]
    name = f"step-{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:24]}"
    found = open_checked(directory, f"{name}.so")
    if found is not None:
        return found
    with locked(directory, SECONDS + 5):
        found = open_checked(directory, f"{name}.so")  # another process may have made it meanwhile
        if found is not None:
            return found
        failed = open_checked(directory, f"{name}.failed")
        if failed is not None:
            os.close(failed)
            return None
        if say is not None:
            say(f"compiling the kernels for {patch[0]}x{patch[1]} filters with {compiler[0]}, once on this machine")
        try:
            write_checked(directory, f"{name}.so", _compile(command, directory))
        except CannotBuild as error:
            write_checked(directory, f"{name}.failed", f"{shlex.join(command)}\n{error}\n".encode())
            raise CannotBuild(
                f"{error}; it is asked again when it changes, or when {path / name}.failed is removed"
            ) from None
    return open_checked(directory, f"{name}.so")


def _compile(command: list[str], directory: int) -> bytes:
    """What the compiler makes of a command, in so many seconds and no more."""
    made = f".{secrets.token_hex(8)}.so"
    process = subprocess.Popen(
        [*command, "-o", f"/proc/self/fd/{directory}/{made}"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        pass_fds=(directory,),
        start_new_session=True,  # so that what the compiler started ends with it
    )
    try:
        _, errors = process.communicate(timeout=SECONDS)
        if process.returncode:
            lines = errors.decode(errors="replace").strip().splitlines()
            raise CannotBuild(f"{command[0]} ended with status {process.returncode}: {lines[0] if lines else ''}")
        with open(os.open(made, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=directory), "rb") as file:
            return file.read()
    except subprocess.TimeoutExpired:
        raise CannotBuild(f"{command[0]} did not end in {SECONDS:.0f} s") from None
    except FileNotFoundError:
        raise CannotBuild(f"{command[0]} ended well but made nothing") from None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if made in os.listdir(directory):
            os.unlink(made, dir_fd=directory)


def _compiler() -> list[str]:
    """`CC`, which may have arguments, or `cc`; empty where there is none."""
    given = shlex.split(os.environ.get("CC", ""))
    command = given or ["cc"]
    program = shutil.which(command[0])
    if program is None and given:
        raise CannotBuild(f"CC must name a program, got {command[0]!r}")
    return [] if program is None else [program, *command[1:]]


def _versions(compiler: list[str]) -> list[str]:
    """What tells one compiler from the next; asking it for its version would take long of one that hangs."""
    programs = [Path(found).resolve() for word in compiler if (found := shutil.which(word)) is not None]
    return [f"{program} {program.stat().st_size} {program.stat().st_mtime_ns}" for program in programs]


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
