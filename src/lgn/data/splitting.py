"""Split samples into train and test by seed, every class in the same proportion."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor

from lgn.data.dataset import DataSet, Split
from lgn.data.errors import DataError, naming
from lgn.data.listing import Listing
from lgn.data.seeds import generator_for

Part = TypeVar("Part", Split, Listing)


def read_set(
    path: Path, noun: str, parts: Sequence[Split], seed: int = 0, test_fraction: float = 0.2, **facts: Any
) -> DataSet:
    """The data set of a folder or file, from its train and test parts or from one part that is split by seed.

    noun: the name of the samples, for the source of the data set.  facts: other fields of the data set.
    """
    train, test, how = train_and_test(parts, test_fraction, seed, path)
    name = path.resolve().name if path.is_dir() else path.stem
    return DataSet(name=name, train=train, test=test, source=f"{noun} of {path}{how}", **facts)


def train_and_test(parts: Sequence[Part], test_fraction: float, seed: int, source: object) -> tuple[Part, Part, str]:
    """A train part and a test part, and how they were split, as text for the source of a data set.

    Two parts are returned as they are; one part is split by seed. `source` is for messages.
    """
    if len(parts) == 2:
        return parts[0], parts[1], ""
    (whole,) = parts
    labels = torch.zeros(len(whole), dtype=torch.int64) if whole.labels is None else whole.labels
    with naming(source, "cannot be split"):
        train, test = split_indices(labels, test_fraction, seed)
    return whole.part(train), whole.part(test), f", split with seed {seed}"


def split_indices(labels: Tensor, test_fraction: float, seed: int) -> tuple[Tensor, Tensor]:
    """Indices of train and of test, so that every class is divided in the same proportion.

    Every class has at least one sample on either side. Without labels, pass zeros: one class.

    Shapes: labels int64 (N,) -> two int64 vectors that together hold 0..N-1 once.
    """
    if not 0 < test_fraction < 1:
        raise DataError(f"test_fraction must be between 0 and 1, got {test_fraction}")
    if len(labels) < 2:
        raise DataError(f"labels must have at least 2 samples to be split, got {len(labels)}")
    counts = torch.bincount(labels)
    if bool((counts == 1).any()):
        alone = int((counts == 1).nonzero()[0])
        raise DataError(f"labels must have at least 2 samples of every class to be split, got 1 of class {alone}")
    return _divide(labels, counts, (counts * test_fraction).round().long().clamp(min=1).minimum(counts - 1), seed)


def choose_indices(labels: Tensor, wanted: int, seed: int) -> Tensor:
    """Exactly `wanted` samples, the same share of every class, and at least one sample of every class.

    Shapes: labels int64 (N,) -> int64 (wanted,)
    """
    counts = torch.bincount(labels)
    classes = int((counts > 0).sum())
    if not classes <= wanted < len(labels):
        raise DataError(f"train_images must be from {classes} (one per class) to {len(labels) - 1}, got {wanted}")
    exact = counts.double() * wanted / len(labels)
    chosen = exact.floor().long().maximum((counts > 0).long())
    # The classes that lost most by rounding down get the remaining samples; rare classes take theirs from the largest.
    missing = wanted - int(chosen.sum())
    if missing > 0:
        chosen[(exact - chosen).argsort(descending=True, stable=True)[:missing]] += 1
    for _ in range(-missing):
        chosen[chosen.argmax()] -= 1
    return _divide(labels, counts, counts - chosen, seed)[0]


def _divide(labels: Tensor, counts: Tensor, test_counts: Tensor, seed: int) -> tuple[Tensor, Tensor]:
    """Indices of train and of test, with `test_counts` samples of each class in test."""
    # Shuffle, then sort by class: the rank of a sample within its class decides its side.
    order = torch.randperm(len(labels), generator=generator_for("split", seed))
    order = order[torch.argsort(labels[order], stable=True)]
    first_of_class = counts.cumsum(0) - counts
    rank = torch.arange(len(labels)) - first_of_class[labels[order]]
    is_test = rank < test_counts[labels[order]]
    return order[~is_test].sort().values, order[is_test].sort().values
