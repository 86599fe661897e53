import io
import pickle
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lgn.data import DataError
from lgn.data.cifar import RECORD, read_cifar_binary, read_cifar_python

RECORDS = np.random.default_rng(0).integers(0, 256, (4, RECORD), dtype=np.uint8)
RECORDS[:, 0] = [3, 1, 9, 0]


class Python2Pickler(pickle._Pickler):  # type: ignore[name-defined]
    """Writes text and bytes with the opcode of Python 2 for both, as in the published files."""

    dispatch = dict(pickle._Pickler.dispatch)  # type: ignore[attr-defined]

    def save_string(self, value: bytes | str) -> None:
        content = value if isinstance(value, bytes) else value.encode()
        self.write(pickle.BINSTRING + struct.pack("<i", len(content)) + content)
        self.memoize(value)

    dispatch[bytes] = save_string
    dispatch[str] = save_string


def python2_pickle(value: Any) -> bytes:
    buffer = io.BytesIO()
    Python2Pickler(buffer, protocol=2).dump(value)
    return buffer.getvalue().replace(b"cnumpy._core.multiarray\n", b"cnumpy.core.multiarray\n")


def batch(labels: Any = None, pixels: Any = None) -> dict[bytes, Any]:
    return {
        b"batch_label": b"a batch",
        b"labels": RECORDS[:, 0].tolist() if labels is None else labels,
        b"data": np.ascontiguousarray(RECORDS[:, 1:]) if pixels is None else pixels,
        b"filenames": [b"one.png", b"two.png", b"three.png", b"four.png"],
    }


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_a_record_is_a_label_then_red_green_blue(tmp_path: Path) -> None:
    record = bytes([7]) + bytes([1]) * 1024 + bytes([2]) * 1024 + bytes([3]) * 1024
    split = read_cifar_binary(written(tmp_path / "data_batch_1.bin", record))
    assert split.labels.tolist() == [7]
    assert split.samples.shape == (1, 3, 32, 32)
    assert split.samples.flatten(2).unique(dim=2).flatten().tolist() == [1, 2, 3]


@pytest.mark.parametrize("dump", [python2_pickle, lambda value: pickle.dumps(value, protocol=4)])
def test_the_binary_and_the_python_version_give_the_same_images(tmp_path: Path, dump: Any) -> None:
    binary = read_cifar_binary(written(tmp_path / "data_batch_1.bin", RECORDS.tobytes()))
    python = read_cifar_python(written(tmp_path / "data_batch_1", dump(batch())))
    assert binary.samples.equal(python.samples)
    assert binary.labels.equal(python.labels)
    assert binary.labels.tolist() == [3, 1, 9, 0]


@pytest.mark.parametrize("content", [RECORDS.tobytes()[:-1], b""])
def test_a_broken_binary_file_is_named(tmp_path: Path, content: bytes) -> None:
    path = written(tmp_path / "data_batch_1.bin", content)
    with pytest.raises(DataError, match=str(path)):
        read_cifar_binary(path)


@pytest.mark.parametrize(
    ("value", "entry"),
    [
        ({b"data": RECORDS[:, 1:].copy()}, "labels"),
        *((batch(labels=labels), "labels") for labels in ([3, 1, 9], [3, 1, 9, 256], [3, 1, 9, -1], [3, 1, 9, True])),
        *((batch(pixels=pixels), "images") for pixels in (np.zeros((4, 3071), np.uint8), [[1, 2]])),
        (batch(labels=[], pixels=np.zeros((0, 3072), np.uint8)), "samples"),
    ],
)
def test_a_wrong_entry_of_a_python_file_is_named(tmp_path: Path, value: Any, entry: str) -> None:
    path = written(tmp_path / "data_batch_1", python2_pickle(value))
    with pytest.raises(DataError, match=f"{path}.*{entry}"):
        read_cifar_python(path)
