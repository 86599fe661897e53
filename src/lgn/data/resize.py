"""Resize images: crop the largest centred square, then scale it."""

from dataclasses import replace

import torch.nn.functional as F
from torch import Tensor

from lgn.data.dataset import DataSet, Split
from lgn.data.reading import PIECE, require_image_bytes


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
