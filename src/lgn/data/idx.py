"""The IDX format of MNIST and its kin: a magic number, the sizes, the bytes."""

import math
import struct
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from lgn.data.dataset import Split
from lgn.data.errors import DataError
from lgn.data.files import read_bytes

IMAGES_MAGIC = 0x00000803  # unsigned bytes, 3 dimensions
LABELS_MAGIC = 0x00000801  # unsigned bytes, 1 dimension
_LIMIT = 2**30  # of a file that holds more than any of MNIST's kin: a gzip bomb stops here


def read_idx_images(path: Path, md5: str | None = None) -> Tensor:
    """The images of an IDX file, raw or gzip.  -> uint8 (N, 1, H, W)"""
    return _read(path, IMAGES_MAGIC, "images", md5).unsqueeze(1)


def read_idx_labels(path: Path, num_classes: int, md5: str | None = None) -> Tensor:
    """The labels of an IDX file, raw or gzip.  -> int64 (N,)"""
    labels = _read(path, LABELS_MAGIC, "labels", md5).long()
    if len(labels) and int(labels.max()) >= num_classes:
        raise DataError(f"{path} has the label {int(labels.max())}, allowed are 0..{num_classes - 1}")
    return labels


def read_idx_split(
    images: Path, labels: Path, num_classes: int, md5: tuple[str | None, str | None] = (None, None)
) -> Split:
    """One split from its file of images and its file of labels."""
    pixels = read_idx_images(images, md5[0])
    targets = read_idx_labels(labels, num_classes, md5[1])
    if len(pixels) != len(targets):
        raise DataError(f"{images} has {len(pixels)} images but {labels} has {len(targets)} labels")
    return Split(pixels, targets)


def encode_idx(array: Tensor) -> bytes:
    """The bytes of an IDX file for a uint8 tensor: what the readers above read."""
    header = struct.pack(f">{1 + array.ndim}I", 0x00000800 | array.ndim, *array.shape)
    return header + array.to(torch.uint8).contiguous().numpy().tobytes()


def _read(path: Path, magic: int, what: str, md5: str | None) -> Tensor:
    content = read_bytes(path, _LIMIT, md5)
    dimensions = magic & 0xFF
    header = 4 * (1 + dimensions)
    if len(content) < 4:
        raise DataError(f"{path} is truncated: {len(content)} bytes, too few for the magic number")
    found = int.from_bytes(content[:4], "big")
    if found != magic:
        raise DataError(f"{path} has the magic number {found:#010x}, IDX {what} have {magic:#010x}")
    if len(content) < header:
        raise DataError(f"{path} is truncated: {len(content)} bytes, the header alone has {header}")
    shape = struct.unpack(f">{dimensions}I", content[4:header])
    if len(content) - header != math.prod(shape):
        problem = "is truncated" if len(content) - header < math.prod(shape) else "has bytes too many"
        raise DataError(
            f"{path} {problem}: its header promises {math.prod(shape)} bytes of {what}, it has {len(content) - header}"
        )
    # A copy, because the bytes of a file cannot be written to and torch's tensors can.
    return torch.from_numpy(np.frombuffer(content, np.uint8, offset=header).reshape(shape).copy())
