"""A data set in memory: train and test, each one tensor: bytes for images, floats for signals and volumes."""

import hashlib
from dataclasses import dataclass

import torch
from torch import Tensor

from lgn.data.errors import DataError

#: What a tensor (N, C, ...) of so many dimensions holds.
KINDS = {3: "signals", 4: "images", 5: "volumes"}


@dataclass(frozen=True, eq=False)
class Split:
    """Images, signals or volumes and, where there are any, their labels.

    Shapes: images uint8 (N, C, H, W), or float32 signals (N, C, T) or volumes (N, C, D, H, W); labels int64 (N,) or
    None.
    """

    samples: Tensor
    labels: Tensor | None = None

    def __post_init__(self) -> None:
        given = f"{self.samples.dtype} {tuple(self.samples.shape)}"
        wanted = torch.uint8 if self.samples.ndim == 4 else torch.float32
        if self.samples.ndim not in KINDS or self.samples.dtype != wanted:
            raise DataError(
                "images must be uint8 (N, C, H, W), signals float32 (N, C, T) and volumes float32 (N, C, D, H, W), "
                f"got {given}"
            )
        if self.samples.numel() == 0:
            raise DataError(f"{KINDS[self.samples.ndim]} must hold at least one pixel, got {given}")
        if self.labels is None:
            return
        if self.labels.dtype != torch.int64 or self.labels.ndim != 1:
            raise DataError(f"labels must be int64 (N,), got {self.labels.dtype} {tuple(self.labels.shape)}")
        if len(self.labels) != len(self.samples):
            raise DataError(f"there are {len(self.samples)} {KINDS[self.samples.ndim]} and {len(self.labels)} labels")

    def __len__(self) -> int:
        return len(self.samples)


@dataclass(frozen=True, eq=False)
class DataSet:
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
        if self.train.samples.shape[1:] != self.test.samples.shape[1:]:
            shapes = [tuple(split.samples.shape[1:]) for split in (self.train, self.test)]
            raise DataError(f"train and test {self.kind} of {self.name} differ in shape: {shapes[0]} and {shapes[1]}")
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
    def kind(self) -> str:
        """What it holds: "images", "signals" or "volumes"."""
        return KINDS[self.train.samples.ndim]

    @property
    def image_shape(self) -> tuple[int, int, int]:
        """(channels, height, width); asked by what knows images alone."""
        if self.kind != "images":
            raise DataError(f"{self.name} must hold images for this, it holds {self.kind}; lgn.symmetries knows them")
        channels, height, width = self.train.samples.shape[1:]
        return channels, height, width

    @property
    def num_classes(self) -> int:
        """How many classes there are; 0 without labels."""
        return len(self.class_names)

    def checksum(self) -> str:
        """SHA-256 of everything a training can see: images and labels of both splits."""
        digest = hashlib.sha256()
        for split in (self.train, self.test):
            _feed(digest, split.samples)
            if split.labels is not None:
                _feed(digest, split.labels)
        return digest.hexdigest()

    def __repr__(self) -> str:
        shape = "x".join(map(str, self.train.samples.shape[1:]))
        classes = f"{self.num_classes} classes" if self.class_names else "no labels"
        return f"DataSet({self.name!r}: {len(self.train):,} train, {len(self.test):,} test, {shape}, {classes})"


def checksum(images: Tensor) -> str:
    """SHA-256 of a tensor's type, shape and values."""
    digest = hashlib.sha256()
    _feed(digest, images)
    return digest.hexdigest()


def _feed(digest: "hashlib._Hash", tensor: Tensor) -> None:
    digest.update(f"{tensor.dtype}{tuple(tensor.shape)}".encode())
    digest.update(tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().data)
