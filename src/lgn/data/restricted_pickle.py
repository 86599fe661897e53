"""A reader of pickles that can build arrays of bytes and nothing else.

CIFAR-10's python version is a pickle, and a pickle may call any function it names. Here every name is refused but
the three with which numpy pickles an array, and even these do not reach numpy: inert stand-ins record what the
pickle says about the array, and the array is then built from that record. Loading a hostile file can fail; it
cannot act.
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

    Keys come as bytes, as Python 2 wrote them. Anything else that the pickle asks for is a `DataError`.
    """
    content = read_bytes(path, limit, md5)
    try:
        loaded = _ArrayUnpickler(io.BytesIO(content), encoding="bytes").load()
    except DataError as error:
        raise DataError(f"{path} is refused: {error}") from error
    except Exception as error:  # a damaged pickle may fail in any way; none of them may go deeper
        raise DataError(f"{path} is not a pickle of arrays: {type(error).__name__}: {error}") from error
    if not isinstance(loaded, dict):
        raise DataError(f"{path} must hold a dictionary, it holds a {type(loaded).__name__}")
    try:
        return {_as_bytes(key): _built(value) for key, value in loaded.items()}
    except DataError as error:
        raise DataError(f"{path} is refused: {error}") from error


class _Dtype:
    """What the pickle says about a type of numbers."""

    def __init__(self, arguments: tuple[Any, ...]) -> None:
        self.code = arguments[0] if arguments else None

    def __setstate__(self, state: object) -> None:
        """Byte order and the like: a byte has none."""


class _Array:
    """What the pickle says about an array: the state that numpy would be given."""

    state: tuple[Any, ...] = ()

    def __setstate__(self, state: Any) -> None:
        self.state = tuple(state)

    def build(self) -> NDArray[np.uint8]:
        if len(self.state) != 5:
            raise DataError("an array in it is not complete")
        _, shape, dtype, is_fortran, content = self.state
        if not isinstance(dtype, _Dtype) or dtype.code not in ("u1", b"u1"):
            raise DataError("an array in it does not hold unsigned bytes")
        if is_fortran or not isinstance(content, bytes) or not isinstance(shape, tuple):
            raise DataError("an array in it is not laid out in C order")
        if not all(isinstance(size, int) and size >= 0 for size in shape) or math.prod(shape) != len(content):
            raise DataError(f"an array in it has the shape {shape} and {len(content)} bytes")
        return np.frombuffer(content, np.uint8).reshape(shape)


class _ArrayUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Callable[..., Any]:
        if (module, name) not in _ARRAY_NAMES:
            raise DataError(f"the pickle asks for {module}.{name}, and only arrays may be built")

        # Made anew for each pickle: a pickle can write attributes, and these functions die with it.
        def stand_in(*arguments: Any) -> _Array | _Dtype:
            return _Dtype(arguments) if name == "dtype" else _Array()

        return stand_in


def _built(value: Any) -> Any:
    return value.build() if isinstance(value, _Array) else value


def _as_bytes(key: Any) -> bytes:
    if isinstance(key, str):
        return key.encode()
    if not isinstance(key, bytes):
        raise DataError(f"a key in it is a {type(key).__name__}")
    return key
