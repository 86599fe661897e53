"""The two formats of CIFAR-10: binary records and pickled arrays."""

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from lgn.data.dataset import Split
from lgn.data.errors import DataError, naming
from lgn.data.reading import read_bytes
from lgn.data.restricted_pickle import read_pickled_dict

IMAGE_SHAPE = (3, 32, 32)
PIXELS = 3 * 32 * 32
RECORD = 1 + PIXELS  # a label, then the red, green and blue planes
_LIMIT = 100_000 * RECORD  # bytes of one file; the published files have 10,000 records


def read_cifar_binary(path: Path, md5: str | None = None) -> Split:
    """One file of the binary version.  -> images uint8 (N, 3, 32, 32), labels int64 (N,)"""
    content = read_bytes(path, _LIMIT, md5)
    if not content or len(content) % RECORD:
        raise DataError(f"{path} must have records of {RECORD} bytes, {len(content)} bytes are not a multiple")
    records = np.frombuffer(content, np.uint8).reshape(-1, RECORD)
    return _split(records[:, 1:], records[:, 0])


def read_cifar_python(path: Path, md5: str | None = None) -> Split:
    """One file of the python version, read without running code from it.  Shapes as above."""
    loaded = read_pickled_dict(path, _LIMIT, md5)
    pixels, labels = loaded.get(b"data"), loaded.get(b"labels")
    if not isinstance(pixels, np.ndarray) or pixels.ndim != 2 or pixels.shape[1] != PIXELS:
        raise DataError(f"{path} must hold data, images as an array (N, {PIXELS}) of unsigned bytes")
    if not isinstance(labels, list) or not all(type(label) is int and 0 <= label < 256 for label in labels):
        raise DataError(f"{path} must hold labels as a list of integers in 0..255")
    with naming(path):
        return _split(pixels, np.array(labels, np.uint8))


def _split(pixels: NDArray[np.uint8], labels: NDArray[np.uint8]) -> Split:
    return Split(torch.from_numpy(pixels.copy()).reshape(-1, *IMAGE_SHAPE), torch.from_numpy(labels.astype(np.int64)))
