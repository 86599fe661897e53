"""The IDX format of MNIST: a magic number, the sizes, the bytes."""

import math
import struct
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from lgn.data.dataset import DataSet, Split
from lgn.data.errors import DataError, naming
from lgn.data.reading import plain_or_gzip, read_bytes
from lgn.data.splitting import read_set

_MAGIC = 0x00000800  # of unsigned bytes; the last byte is the number of axes
_LIMIT = 2**30  # bytes of one file; a gzip bomb stops here

#: The four files of a data set: images and labels of the train part, then of the test part.
FILES = ("train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")


def read_idx(path: Path, axes: int, md5: str | None = None) -> Tensor:
    """The bytes of an IDX file, plain or gzip: 3 axes for images, 1 axis for labels.  -> uint8 (N, ...)"""
    content = read_bytes(path, _LIMIT, md5)
    header = 4 * (1 + axes)
    if len(content) < header:
        raise DataError(f"{path} is truncated: {len(content)} bytes are too few for the header of {header} bytes")
    found, *shape = struct.unpack(f">{1 + axes}I", content[:header])
    if found != _MAGIC | axes:
        raise DataError(f"{path} must have the magic number {_MAGIC | axes:#010x}, got {found:#010x}")
    size, expected = len(content) - header, math.prod(shape)
    if size != expected:
        problem = "is truncated" if size < expected else "has too many bytes"
        raise DataError(f"{path} {problem}: its header promises {expected} bytes, it has {size}")
    # A copy, because tensors can be written to and the bytes of a file cannot.
    return torch.from_numpy(np.frombuffer(content, np.uint8, offset=header).reshape(shape).copy())


def read_idx_split(images: Path, labels: Path, md5: tuple[str | None, str | None] = (None, None)) -> Split:
    """One part of a data set from its file of images and its file of labels."""
    with naming(f"{images} with {labels}"):
        return Split(read_idx(images, 3, md5[0]).unsqueeze(1), read_idx(labels, 1, md5[1]).long())


def idx_files(folder: Path) -> dict[str, Path]:
    """Those of the four files that a folder has, also under the names of other programs: `train-images.idx3-ubyte`."""
    copies = {name: plain_or_gzip(folder / name, folder / name.replace("-idx", ".idx")) for name in FILES}
    return {name: copy for name, copy in copies.items() if copy is not None}


def load_idx_folder(folder: Path) -> DataSet:
    """A folder with the four files of a data set, plain or gzip. Classes are named by their numbers."""
    found = idx_files(folder)
    if missing := [name for name in FILES if name not in found]:
        raise DataError(f"{folder} must have all four IDX files, {', '.join(missing)} missing")
    images, labels, test_images, test_labels = found.values()
    train, test = read_idx_split(images, labels), read_idx_split(test_images, test_labels)
    classes = 1 + max(int(split.labels.max()) for split in (train, test) if split.labels is not None)
    if classes < 2:
        raise DataError(f"{folder} must have at least 2 classes, all labels are 0")
    class_names = tuple(map(str, range(classes)))
    return read_set(folder, "IDX files", (train, test), kind="images", class_names=class_names)


def encode_idx(array: Tensor) -> bytes:
    """The content of an IDX file for a uint8 tensor."""
    header = struct.pack(f">{1 + array.ndim}I", _MAGIC | array.ndim, *array.shape)
    return header + array.to(torch.uint8).contiguous().numpy().tobytes()
