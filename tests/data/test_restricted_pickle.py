import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lgn.data import DataError
from lgn.data.restricted_pickle import read_pickled_dict


class Calls:
    """Pickles as a call of any function."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.call = function, arguments

    def __reduce__(self) -> Any:
        return self.call


def read(directory: Path, content: bytes) -> dict[bytes, Any]:
    path = directory / "data_batch_1"
    path.write_bytes(content)
    return read_pickled_dict(path, 10_000)


def test_arrays_are_read_back(tmp_path: Path) -> None:
    array = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    loaded = read(tmp_path, pickle.dumps({b"data": array, "labels": [1, 2], b"name": b"x"}, protocol=4))
    assert np.array_equal(loaded[b"data"], array)
    assert loaded[b"labels"] == [1, 2]
    assert loaded[b"name"] == b"x"


def test_os_system_is_not_called(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    content = pickle.dumps({b"data": Calls(os.system, f"echo > '{victim}'")})
    pickle.loads(content)  # what any other reader does with it
    assert victim.exists()
    victim.unlink()
    with pytest.raises(DataError, match=r"data_batch_1 .*posix\.system"):
        read(tmp_path, content)
    assert not victim.exists()


@pytest.mark.parametrize("function", [eval, exec, open, getattr, np.load, np.fromfile, pickle.loads])
def test_no_other_function_is_called(tmp_path: Path, function: Any) -> None:
    with pytest.raises(DataError, match="arrays"):
        read(tmp_path, pickle.dumps({b"data": Calls(function, "1")}))


@pytest.mark.parametrize(
    "content",
    [
        # A dotted name that would climb out of an allowed module, and out of an allowed class.
        b"\x80\x04\x8c\x05numpy\x8c\x0ef2py.os.system\x93.",
        b"\x80\x04\x8c\x05numpy\x8c\x10ndarray.__init__\x93.",
        b"cnumpy\nload\n.",
        b"Psome persistent id\n.",
    ],
)
def test_no_other_name_is_reached(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(DataError):
        read(tmp_path, content)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({b"data": np.array([{}, []], dtype=object)}, "unsigned bytes"),
        ({b"data": np.zeros(3, np.float64)}, "unsigned bytes"),
        ({b"data": np.asfortranarray(np.zeros((2, 3), np.uint8))}, "C order"),
        ([1, 2], "must hold a dictionary, it holds a list"),
    ],
)
def test_only_arrays_of_bytes_are_accepted(tmp_path: Path, value: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(tmp_path, pickle.dumps(value, protocol=4))


def test_an_array_with_a_wrong_shape_is_refused(tmp_path: Path) -> None:
    honest = pickle.dumps({b"data": np.zeros((3, 77), np.uint8)}, protocol=4)
    assert honest.count(b"K\x03KM") == 1  # the shape
    with pytest.raises(DataError, match="has the shape"):
        read(tmp_path, honest.replace(b"K\x03KM", b"K\xffK\xff"))


@pytest.mark.parametrize("length", [0, 1, 20, 100])
def test_a_truncated_pickle_is_refused(tmp_path: Path, length: int) -> None:
    content = pickle.dumps({b"data": np.zeros(200, np.uint8)}, protocol=4)
    with pytest.raises(DataError, match="is not a pickle of arrays"):
        read(tmp_path, content[:length])
