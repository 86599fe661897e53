"""The compiled kernels: those in the package, or those built once with the compiler of this machine, or none."""

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
from functools import cache
from pathlib import Path

import torch

from lgn.nn.kernels.native.cache import locked, open_checked, own_directory, write_checked
from lgn.nn.kernels.native.command import SOURCE, build_command
from lgn.warning import LgnWarning

HERE = Path(__file__).parent
PREBUILT = HERE / "kernels.so"  # in a wheel that was built with LGN_BUILD_KERNEL=1
LANES_LIMIT = 1 << 10  # the widest vectors; tests lower it
SECONDS = 120.0  # the longest time for the compiler, which needs three seconds on an idle machine

_loaded: list[ctypes.CDLL | None] = []  # empty before the first use, then the library or None


class CannotBuild(Exception):
    """The compiler did not make the kernels."""


def kernels(report: Callable[[str], None] | None = None) -> ctypes.CDLL | None:
    """The kernels; None without a compiler, or on a processor that they do not support.

    If the package has no compiled kernels, the first call on a machine compiles them into the cache of the user, which
    takes three seconds; `report` gets a message. The compiler is `CC`, or `cc`. A compiler that failed is not called
    again until it changes. `LGN_NATIVE=0` disables the kernels.
    """
    if os.environ.get("LGN_NATIVE") == "0" or sys.platform != "linux" or platform.machine() != "x86_64":
        return None
    if not _loaded:
        _loaded.append(_load(report))
    return _loaded[0]


def _load(report: Callable[[str], None] | None) -> ctypes.CDLL | None:
    try:
        library = ctypes.CDLL(str(PREBUILT)) if PREBUILT.is_file() else _built(report)
    except (OSError, RuntimeError, CannotBuild) as error:  # no place for the cache, or a compiler that fails
        warnings.warn(f"the compiled kernels are not used: {error}", LgnWarning, stacklevel=3)
        return None
    if library is None or not library.lanes_here(LANES_LIMIT):
        return None
    library.use_threads(*_threads())
    return library


def _built(report: Callable[[str], None] | None) -> ctypes.CDLL | None:
    """The library in the cache of the user, compiled if it is missing; None without a compiler or if it fails."""
    compiler = _compiler()
    if not compiler:
        return None
    path = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lgn" / "native"
    with own_directory(path) as directory:
        descriptor = _obtain(compiler, directory, path, report)
    if descriptor is None:
        return None
    try:
        # The descriptor stays open: libraries are known by their names, and its number must not name another file.
        return ctypes.CDLL(f"/proc/self/fd/{descriptor}")
    except OSError:  # for example a file system that forbids programs
        os.close(descriptor)
        raise


def _obtain(compiler: list[str], directory: int, path: Path, report: Callable[[str], None] | None) -> int | None:
    """A descriptor of the library, compiled if it is missing; None if that fails. Its name depends on all sources.

    A failure leaves a file of the same name, so that no process calls the same compiler again.
    """
    command = build_command(compiler)
    sources = [file.read_text() for file in sorted([SOURCE, *HERE.glob("*.h")])]
    parts = [*command, *_versions(compiler), platform.machine(), *sources]
    name = f"kernels-{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:24]}"
    if (found := open_checked(directory, f"{name}.so")) is not None:
        return found
    with locked(directory, SECONDS + 5):
        # Another process may have compiled it meanwhile.
        if (found := open_checked(directory, f"{name}.so")) is not None:
            return found
        if (failed := open_checked(directory, f"{name}.failed")) is not None:
            os.close(failed)
            return None
        if report is not None:
            report(f"compiling the kernels with {compiler[0]}, once on this machine")
        try:
            write_checked(directory, f"{name}.so", _compile(command, directory))
        except CannotBuild as error:
            write_checked(directory, f"{name}.failed", f"{shlex.join(command)}\n{error}\n".encode())
            raise CannotBuild(
                f"{error}; it is called again after it has changed, or after {path / name}.failed was removed"
            ) from None
    return open_checked(directory, f"{name}.so")


def _compile(command: list[str], directory: int) -> bytes:
    """The library that a command compiles, within the longest time."""
    made = f".{secrets.token_hex(8)}.so"
    process = subprocess.Popen(
        [*command, "-o", f"/proc/self/fd/{directory}/{made}"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        pass_fds=(directory,),
        start_new_session=True,  # so that all processes of the compiler end with it
    )
    try:
        _, errors = process.communicate(timeout=SECONDS)
        if process.returncode:
            lines = errors.decode(errors="replace").strip().splitlines()
            raise CannotBuild(f"{command[0]} ended with status {process.returncode}: {lines[0] if lines else ''}")
        with open(os.open(made, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=directory), "rb") as file:
            return file.read()
    except subprocess.TimeoutExpired:
        raise CannotBuild(f"{command[0]} did not end within {SECONDS:.0f} s") from None
    except FileNotFoundError:
        raise CannotBuild(f"{command[0]} ended without an error and without a library") from None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if made in os.listdir(directory):
            os.unlink(made, dir_fd=directory)


def _compiler() -> list[str]:
    """`CC`, which may have arguments, or `cc`; empty if there is no compiler."""
    given = shlex.split(os.environ.get("CC", ""))
    command = given or ["cc"]
    program = shutil.which(command[0])
    if program is None and given:
        raise CannotBuild(f"CC must name a program, got {command[0]!r}")
    return [] if program is None else [program, *command[1:]]


def _versions(compiler: list[str]) -> list[str]:
    """The size and time of the programs of a compiler, instead of its version: a compiler that hangs takes long."""
    programs = [Path(found).resolve() for word in compiler if (found := shutil.which(word)) is not None]
    return [f"{program} {program.stat().st_size} {program.stat().st_mtime_ns}" for program in programs]


@cache
def _threads() -> tuple[ctypes.c_void_p, ...]:
    """The addresses of the functions that start the threads of torch, in the OpenMP library that torch has loaded."""
    torch.get_num_threads()
    names = ("libgomp", "libiomp", "libomp")
    mapped = (line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines())
    path = next((file for file in mapped if Path(file).name.startswith(names)), None)
    if path is None:
        return (ctypes.c_void_p(),) * 3
    pool = ctypes.CDLL(path)
    functions = (pool.GOMP_parallel, pool.omp_get_thread_num, pool.omp_get_num_threads)
    return tuple(ctypes.cast(function, ctypes.c_void_p) for function in functions)
