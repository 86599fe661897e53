"""A data set in memory: a train part and a test part, each one tensor of samples."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from lgn.data.errors import DataError
from lgn.data.kinds import LAYOUTS, Kind, axes_of


@dataclass(frozen=True, eq=False)
class Split:
    """Samples and, if there are any, their labels or a numeric target.

    Shapes: samples as in `lgn.data.kinds.LAYOUTS`, images uint8, all others floating-point; labels int64 (N,);
    numbers floating-point (N,) or (N, q).
    """

    samples: Tensor
    labels: Tensor | None = None
    numbers: Tensor | None = None

    def __post_init__(self) -> None:
        given = f"{self.samples.dtype} {tuple(self.samples.shape)}"
        if self.samples.ndim not in range(2, 6):
            raise DataError(f"samples must have 2 to 5 axes, got {given}")
        if (self.samples.dtype != torch.uint8) if self.samples.ndim == 4 else not self.samples.is_floating_point():
            raise DataError(f"samples must be uint8 for images and floating-point for all other kinds, got {given}")
        if self.samples.numel() == 0:
            raise DataError(f"samples must not be empty, got {given}")
        if self.labels is not None and (self.labels.dtype != torch.int64 or self.labels.ndim != 1):
            raise DataError(f"labels must be int64 (N,), got {self.labels.dtype} {tuple(self.labels.shape)}")
        for name, target in (("labels", self.labels), ("numbers", self.numbers)):
            if target is not None and len(target) != len(self.samples):
                raise DataError(f"{name} must have {len(self.samples)} values, one for each sample, got {len(target)}")

    def __len__(self) -> int:
        return len(self.samples)

    def part(self, index: Tensor | slice) -> "Split":
        """The chosen samples with their labels or numbers, in memory of their own."""
        labels, numbers = (None if t is None else t[index].clone() for t in (self.labels, self.numbers))
        return Split(self.samples[index].clone(), labels, numbers)


@dataclass(frozen=True, eq=False, kw_only=True)
class DataSet:
    """A train part, a test part, and the names that belong to them.

    class_names: empty without labels.
    columns: names of the columns of a table, if they are known.
    source: where the data came from, in one phrase.
    notes: changes that reading made (resized, left out, scaled).
    """

    name: str
    kind: Kind
    train: Split
    test: Split
    class_names: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    source: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        train_shape, test_shape = (tuple(split.samples.shape[1:]) for split in (self.train, self.test))
        if train_shape != test_shape:
            raise DataError(f"train and test of {self.name} must have one shape, got {train_shape} and {test_shape}")
        if len(train_shape) + 1 != axes_of(self.kind):
            raise DataError(f"{self.name} must be {LAYOUTS[self.kind]} for kind {self.kind!r}, got (N, *{train_shape})")
        for part, split in (("train", self.train), ("test", self.test)):
            if (split.labels is None) != (len(self.class_names) == 0):
                raise DataError(f"{self.name} must have both {part} labels and class names, or neither")
            if split.labels is not None:
                low, high = int(split.labels.min()), int(split.labels.max())
                if low < 0 or high >= len(self.class_names):
                    allowed = f"0..{len(self.class_names) - 1}"
                    raise DataError(f"{part} labels of {self.name} must be in {allowed}, got {low}..{high}")

    @property
    def image_shape(self) -> tuple[int, int, int]:
        """(channels, height, width) of images; an error for other kinds."""
        if self.kind != "images":
            raise DataError(f"{self.name} must hold images, got {self.kind}; lgn.discover accepts all kinds")
        channels, height, width = self.train.samples.shape[1:]
        return channels, height, width

    @property
    def num_classes(self) -> int:
        """Number of classes; 0 without labels."""
        return len(self.class_names)

    def checksum(self) -> str:
        """SHA-256 of the samples, labels and numbers of both parts."""
        return checksum(*(t for split in (self.train, self.test) for t in (split.samples, split.labels, split.numbers)))

    def __repr__(self) -> str:
        shape = "x".join(map(str, self.train.samples.shape[1:]))
        target = f"{self.num_classes} classes" if self.class_names else "no labels"
        if self.train.numbers is not None:
            target = "a numeric target"
        sizes = f"{len(self.train):,} train, {len(self.test):,} test"
        return f"DataSet({self.name!r}: {sizes}, {self.kind} of {shape}, {target})"


def checksum(*tensors: Tensor | None) -> str:
    """SHA-256 of the dtypes, shapes and values of tensors."""
    digest = hashlib.sha256()
    for tensor in tensors:
        if tensor is not None:
            digest.update(f"{tensor.dtype}{tuple(tensor.shape)}".encode())
            digest.update(tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().data)
    return digest.hexdigest()


def join(splits: Sequence[Split]) -> Split:
    """Several parts with labels as one part, in the given order."""
    labels = [split.labels for split in splits if split.labels is not None]
    return Split(torch.cat([split.samples for split in splits]), torch.cat(labels))
