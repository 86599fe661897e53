"""Images of another size: the largest square in the middle, scaled."""

import torch
import torch.nn.functional as F
from torch import Tensor

from lgn.data.images import ImageSet, Split
from lgn.data.zca import CHUNK


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

    def scale(chunk: Tensor) -> Tensor:
        scaled = F.interpolate(chunk.float(), (size, size), mode="bilinear", antialias=True)
        return scaled.round_().clamp_(0, 255).to(torch.uint8)

    return torch.cat([scale(chunk) for chunk in square.split(CHUNK)])


def resize_set(image_set: ImageSet, size: int | None) -> ImageSet:
    """A set with all its images resized; the same set when there is nothing to do."""
    _, height, width = image_set.image_shape
    if size is None or (height, width) == (size, size):
        return image_set
    train, test = (Split(resize(split.images, size), split.labels) for split in (image_set.train, image_set.test))
    note = f"all images were resized from {height}x{width} to {size}x{size}"
    return ImageSet(image_set.name, train, test, image_set.class_names, image_set.source, (*image_set.notes, note))
