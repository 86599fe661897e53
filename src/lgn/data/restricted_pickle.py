"""Read pickles of plain values and arrays of bytes, without running code from them.

The Python version of CIFAR-10 is a pickle, and a pickle may call any function that it names. This reader refuses all
names except the three of pickled numpy arrays, and replaces these three by inert classes that record the state of the
array. The array is then built from the record.
"""

import io
import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lgn.data.errors import DataError
from lgn.data.files import read_bytes

_ARRAY_NAMES = {
    ("numpy.core.multiarray", "_reconstruct"),
    ("numpy._core.multiarray", "_reconstruct"),
    ("numpy", "ndarray"),
    ("numpy", "dtype"),
}


def read_pickled_dict(path: Path, limit: int, md5: str | None = None) -> dict[bytes, Any]:
    """The dictionary in a pickle of plain values and uint8 arrays, of at most `limit` bytes.

    Keys are bytes, as Python 2 wrote them. All other content raises `DataError`.
    """
    content = read_bytes(path, limit, md5)
    try:
        loaded = _ArrayUnpickler(io.BytesIO(content), encoding="bytes").load()
    except DataError as error:
        raise DataError(f"{path} cannot be used: {error}") from error
    except Exception as error:  # a damaged pickle may raise any error
        raise DataError(f"{path} is not a pickle of arrays: {type(error).__name__}: {error}") from error
    if not isinstance(loaded, dict):
        raise DataError(f"{path} must hold a dictionary, it holds a {type(loaded).__name__}")
    try:
        return {_as_bytes(key): _built(value) for key, value in loaded.items()}
    except DataError as error:
        raise DataError(f"{path} cannot be used: {error}") from error


class _Dtype:
    """Record of a pickled dtype."""

    def __init__(self, arguments: tuple[Any, ...]) -> None:
        self.code = arguments[0] if arguments else None

    def __setstate__(self, state: object) -> None:
        """Ignore byte order and alignment, which bytes do not have."""


class _Array:
    """Record of a pickled array: the state that numpy would get."""

    state: tuple[Any, ...] = ()

    def __setstate__(self, state: Any) -> None:
        self.state = tuple(state)

    def build(self) -> NDArray[np.uint8]:
        if len(self.state) != 5:
            raise DataError("its array is incomplete")
        _, shape, dtype, is_fortran, content = self.state
        if not isinstance(dtype, _Dtype) or dtype.code not in ("u1", b"u1"):
            raise DataError("its array must hold unsigned bytes")
        if is_fortran or not isinstance(content, bytes) or not isinstance(shape, tuple):
            raise DataError("its array must be in C order")
        if not all(isinstance(size, int) and size >= 0 for size in shape) or math.prod(shape) != len(content):
            raise DataError(f"its array has the shape {shape} but {len(content)} bytes")
        return np.frombuffer(content, np.uint8).reshape(shape)


class _ArrayUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Callable[..., Any]:
        if (module, name) not in _ARRAY_NAMES:
            raise DataError(f"it must hold arrays and plain values only, got {module}.{name}")

        # A new function for every pickle, because a pickle can set attributes of it.
        def stand_in(*arguments: Any) -> _Array | _Dtype:
            return _Dtype(arguments) if name == "dtype" else _Array()

        return stand_in


def _built(value: Any) -> Any:
    return value.build() if isinstance(value, _Array) else value


def _as_bytes(key: Any) -> bytes:
    if isinstance(key, str):
        return key.encode()
    if not isinstance(key, bytes):
        raise DataError(f"its keys must be bytes, got {type(key).__name__}")
    return key
