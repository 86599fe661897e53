"""A data set in memory: train and test, each one uint8 tensor."""

import hashlib
from dataclasses import dataclass

import torch
from torch import Tensor

from lgn.data.errors import DataError


@dataclass(frozen=True, eq=False)
class Split:
    """Images and, where there are any, their labels.

    Shapes: images uint8 (N, C, H, W), labels int64 (N,) or None.
    """

    images: Tensor
    labels: Tensor | None = None

    def __post_init__(self) -> None:
        if self.images.dtype != torch.uint8 or self.images.ndim != 4:
            raise DataError(f"images must be uint8 (N, C, H, W), got {self.images.dtype} {tuple(self.images.shape)}")
        if self.images.numel() == 0:
            raise DataError(f"images must hold at least one pixel, got shape {tuple(self.images.shape)}")
        if self.labels is None:
            return
        if self.labels.dtype != torch.int64 or self.labels.ndim != 1:
            raise DataError(f"labels must be int64 (N,), got {self.labels.dtype} {tuple(self.labels.shape)}")
        if len(self.labels) != len(self.images):
            raise DataError(f"there are {len(self.images)} images and {len(self.labels)} labels")

    def __len__(self) -> int:
        return len(self.images)


@dataclass(frozen=True, eq=False)
class ImageSet:
    """Train and test, the names of the classes (none without labels), and where it all came from.

    `source` is one sentence; `notes` say what was done to the images on the way in (resized, left out, scaled).
    """

    name: str
    train: Split
    test: Split
    class_names: tuple[str, ...]
    source: str
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.train.images.shape[1:] != self.test.images.shape[1:]:
            shapes = [tuple(split.images.shape[1:]) for split in (self.train, self.test)]
            raise DataError(f"train and test images of {self.name} differ in shape: {shapes[0]} and {shapes[1]}")
        for split_name, split in (("train", self.train), ("test", self.test)):
            if (split.labels is None) != (len(self.class_names) == 0):
                raise DataError(f"{self.name} must have both {split_name} labels and class names, or neither")
            if split.labels is not None:
                low, high = int(split.labels.min()), int(split.labels.max())
                if low < 0 or high >= len(self.class_names):
                    raise DataError(
                        f"{split_name} labels of {self.name} must lie in 0..{len(self.class_names) - 1}, "
                        f"got {low}..{high}"
                    )

    @property
    def image_shape(self) -> tuple[int, int, int]:
        """(channels, height, width)"""
        channels, height, width = self.train.images.shape[1:]
        return channels, height, width

    @property
    def num_classes(self) -> int:
        """How many classes there are; 0 without labels."""
        return len(self.class_names)

    def checksum(self) -> str:
        """SHA-256 of everything a training can see: images and labels of both splits."""
        digest = hashlib.sha256()
        for split in (self.train, self.test):
            _feed(digest, split.images)
            if split.labels is not None:
                _feed(digest, split.labels)
        return digest.hexdigest()

    def __repr__(self) -> str:
        channels, height, width = self.image_shape
        classes = f"{self.num_classes} classes" if self.class_names else "no labels"
        return (
            f"ImageSet({self.name!r}: {len(self.train):,} train, {len(self.test):,} test, "
            f"{channels}x{height}x{width}, {classes})"
        )


def checksum(images: Tensor) -> str:
    """SHA-256 of a tensor's type, shape and values."""
    digest = hashlib.sha256()
    _feed(digest, images)
    return digest.hexdigest()


def _feed(digest: "hashlib._Hash", tensor: Tensor) -> None:
    digest.update(f"{tensor.dtype}{tuple(tensor.shape)}".encode())
    digest.update(tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().data)
