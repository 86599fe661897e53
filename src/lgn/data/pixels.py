"""Images as bytes: from arrays of any numbers and any place of the channels, and in any size."""

from dataclasses import replace
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from lgn.data.dataset import DataSet, Split
from lgn.data.errors import DataError
from lgn.data.reading import PIECE, require_image_bytes

Arrays = dict[str, NDArray[Any]]


def channels_first(array: NDArray[Any], name: str) -> NDArray[Any]:
    """(N, H, W), (N, C, H, W) or (N, H, W, C) -> (N, C, H, W), with 1 or 3 channels"""
    if array.ndim == 3:
        array = array[:, None]
    elif array.ndim == 4 and array.shape[1] not in (1, 3) and array.shape[3] in (1, 3):
        array = array.transpose(0, 3, 1, 2)
    if array.ndim != 4 or array.shape[1] not in (1, 3) or array.size == 0:
        layouts = "(N, H, W), (N, C, H, W) or (N, H, W, C)"
        raise DataError(f"{name} must be {layouts} with 1 or 3 channels, got {array.shape}")
    return array


def as_bytes(arrays: Arrays, *, piece: int = PIECE) -> tuple[dict[str, Tensor], tuple[str, ...]]:
    """Images as bytes, all arrays on the same scale, and notes about changes.

    piece: largest number of values to compute with at a time.
    """
    for name, array in arrays.items():
        if array.dtype.kind not in "buif":
            raise DataError(f"{name} must hold numbers, got {array.dtype}")
        if not np.isfinite([array.min(), array.max()]).all():  # NaN anywhere makes both NaN
            raise DataError(f"{name} must be finite, got {array.min()}..{array.max()}")
        if array.min() < 0 or array.max() > 255:
            raise DataError(f"{name} must be in 0..1 or 0..255, got {array.min()}..{array.max()}")
    is_float = any(array.dtype.kind == "f" for array in arrays.values())
    is_bool = all(array.dtype.kind == "b" for array in arrays.values())
    scaled = is_bool or (is_float and max(array.max() for array in arrays.values()) <= 1)
    images = {
        name: torch.from_numpy(_rounded(array, 255.0 if scaled else 1.0, piece)) for name, array in arrays.items()
    }
    if scaled:
        return images, ("values in 0..1 were scaled to 0..255",)
    return images, ("values were rounded to whole numbers in 0..255",) if is_float else ()


def _rounded(array: NDArray[Any], factor: float, piece: int) -> NDArray[np.uint8]:
    """Numbers times a factor, rounded to bytes a few images at a time; bytes are not copied."""
    if array.dtype == np.uint8:
        return np.ascontiguousarray(array)
    rounded = np.empty(array.shape, np.uint8)
    step = max(piece // array[0].size, 1)
    for first in range(0, len(array), step):
        part = slice(first, first + step)
        rounded[part] = np.rint(array[part] * factor)
    return rounded


def resize(images: Tensor, size: int, *, piece: int = PIECE) -> Tensor:
    """Crop the largest centred square and scale it, bilinear with antialiasing.

    piece: largest number of values to compute with at a time.

    Shapes: uint8 (N, C, H, W) -> uint8 (N, C, size, size)
    """
    height, width = images.shape[-2:]
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    square = images[..., top : top + side, left : left + side]
    if side == size:
        return square.contiguous()
    planes = square.flatten(0, 1).unsqueeze(1)  # (N * C, 1, side, side)
    scaled = images.new_empty(len(planes), 1, size, size)
    step = max(piece // max(side, size) ** 2, 1)
    for source, target in zip(planes.split(step), scaled.split(step), strict=True):
        floats = F.interpolate(source.float(), (size, size), mode="bilinear", antialias=True)
        target.copy_(floats.round_().clamp_(0, 255))
    return scaled.view(*images.shape[:2], size, size)


def resize_set(dataset: DataSet, size: int | None) -> DataSet:
    """A data set with all images resized; the same data set if there is nothing to do."""
    if size is None:
        return dataset
    channels, height, width = dataset.image_shape
    if (height, width) == (size, size):
        return dataset
    require_image_bytes(len(dataset.train) + len(dataset.test), channels, size, size)
    train, test = (Split(resize(split.samples, size), split.labels) for split in (dataset.train, dataset.test))
    note = f"all images were resized from {height}x{width} to {size}x{size}"
    return replace(dataset, train=train, test=test, notes=(*dataset.notes, note))
