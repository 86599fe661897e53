"""Images of another size: the largest square in the middle, scaled."""

import torch.nn.functional as F
from torch import Tensor

from lgn.data.dataset import DataSet, Split
from lgn.data.room import PIECE, require_room


def resize(images: Tensor, size: int) -> Tensor:
    """Crop the largest centred square and scale it, bilinearly and without aliasing.

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
    at_once = max(PIECE // max(side, size) ** 2, 1)
    for some, place in zip(planes.split(at_once), scaled.split(at_once), strict=True):
        place.copy_(F.interpolate(some.float(), (size, size), mode="bilinear", antialias=True).round_().clamp_(0, 255))
    return scaled.view(*images.shape[:2], size, size)


def resize_set(dataset: DataSet, size: int | None) -> DataSet:
    """A set with all its images resized; the same set when there is nothing to do."""
    if size is None:
        return dataset
    _, height, width = dataset.image_shape
    if (height, width) == (size, size):
        return dataset
    require_room(len(dataset.train) + len(dataset.test), dataset.image_shape[0], size, size)
    train, test = (Split(resize(split.samples, size), split.labels) for split in (dataset.train, dataset.test))
    note = f"all images were resized from {height}x{width} to {size}x{size}"
    return DataSet(dataset.name, train, test, dataset.class_names, dataset.source, (*dataset.notes, note))
