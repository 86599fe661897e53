"""Read pickles of plain values and arrays of bytes, without running code from them.

The Python version of CIFAR-10 is a pickle, and a pickle may call any function that it names. This reader refuses all
names except the three of pickled numpy arrays, and only records the arguments and the state that these three would get.
The array is then built from the record.
"""

import io
import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lgn.data.errors import DataError, naming
from lgn.data.reading import read_bytes

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
    with naming(path):
        try:
            loaded = _RecordUnpickler(io.BytesIO(content), encoding="bytes").load()
        except DataError:
            raise
        except Exception as error:  # a damaged pickle may raise any error
            raise DataError(f"it is not a pickle of arrays: {type(error).__name__}: {error}") from error
        if not isinstance(loaded, dict):
            raise DataError(f"it must hold a dictionary, it holds a {type(loaded).__name__}")
        items = ((key.encode() if isinstance(key, str) else key, item) for key, item in loaded.items())
        return {key: _array(item) if isinstance(item, _Record) else item for key, item in items}


class _Record:
    """Arguments and state of a pickled array or dtype, which is not made."""

    def __init__(self, *arguments: Any) -> None:
        self.arguments = arguments
        self.state: Any = ()

    def __setstate__(self, state: Any) -> None:
        self.state = state


class _RecordUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Callable[..., Any]:
        if (module, name) not in _ARRAY_NAMES:
            raise DataError(f"it must hold arrays and plain values only, got {module}.{name}")
        # A new function for every pickle, because a pickle can set attributes of it.
        return lambda *arguments: _Record(*arguments)


def _array(record: _Record) -> NDArray[np.uint8]:
    """The array of bytes with the state that numpy would get."""
    if not isinstance(record.state, tuple) or len(record.state) != 5:
        raise DataError("its array is incomplete")
    _, shape, dtype, is_fortran, content = record.state
    if not isinstance(dtype, _Record) or dtype.arguments[:1] not in (("u1",), (b"u1",)):
        raise DataError("its array must hold unsigned bytes")
    if is_fortran or not isinstance(content, bytes) or not isinstance(shape, tuple):
        raise DataError("its array must be in C order")
    if not all(isinstance(size, int) and size >= 0 for size in shape) or math.prod(shape) != len(content):
        raise DataError(f"its array has the shape {shape} but {len(content)} bytes")
    return np.frombuffer(content, np.uint8).reshape(shape)
