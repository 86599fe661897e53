"""Train and test out of one heap of images, by seed, with the classes in balance."""

import torch
from torch import Tensor

from lgn.data.dataset import Split
from lgn.data.errors import DataError
from lgn.data.seeds import generator_for


def split_indices(labels: Tensor, test_fraction: float, seed: int) -> tuple[Tensor, Tensor]:
    """Which images train and which test, so that every class is divided in the same proportion.

    Every class gets at least one image on either side. Without labels, pass zeros: one class.

    Shapes: labels int64 (N,) -> two int64 vectors that together hold 0..N-1 once.
    """
    if not 0 < test_fraction < 1:
        raise DataError(f"test_fraction must lie between 0 and 1, got {test_fraction}")
    if len(labels) < 2:
        raise DataError(f"a split needs at least 2 images, got {len(labels)}")
    counts = torch.bincount(labels)
    present = counts > 0
    if bool((counts[present] < 2).any()):
        raise DataError(f"a split needs at least 2 images of each class, class {int((counts == 1).nonzero()[0])} has 1")
    return _divide(labels, counts, (counts * test_fraction).round().long().clamp(min=1).minimum(counts - 1), seed)


def choose_indices(labels: Tensor, wanted: int, seed: int) -> Tensor:
    """Exactly `wanted` images, of every class the same share, and at least one.

    Shapes: labels int64 (N,) -> int64 (wanted,)
    """
    counts = torch.bincount(labels)
    classes = int((counts > 0).sum())
    if not classes <= wanted < len(labels):
        each = "" if classes == 1 else ", one of each class,"
        raise DataError(f"train_images must be from {classes}{each} to {len(labels) - 1}, got {wanted}")
    exact = counts.double() * wanted / len(labels)
    chosen = exact.floor().long().maximum((counts > 0).long())
    # What rounding down left over goes to the classes that lost most by it; rare classes take theirs from the largest.
    missing = wanted - int(chosen.sum())
    if missing > 0:
        chosen[(exact - chosen).argsort(descending=True, stable=True)[:missing]] += 1
    for _ in range(-missing):
        chosen[chosen.argmax()] -= 1
    return _divide(labels, counts, counts - chosen, seed)[0]


def _divide(labels: Tensor, counts: Tensor, test_counts: Tensor, seed: int) -> tuple[Tensor, Tensor]:
    """So many of each class to test, the others to train.  -> (train, test)"""
    # Shuffle, then bring each class together: the rank within its class says on which side an image falls.
    order = torch.randperm(len(labels), generator=generator_for("split", seed))
    order = order[torch.argsort(labels[order], stable=True)]
    first_of_class = counts.cumsum(0) - counts
    rank = torch.arange(len(labels)) - first_of_class[labels[order]]
    is_test = rank < test_counts[labels[order]]
    return order[~is_test].sort().values, order[is_test].sort().values


def split_by_seed(images: Tensor, labels: Tensor | None, test_fraction: float, seed: int) -> tuple[Split, Split]:
    """Train and test of images of which nobody has said which is which."""
    classes = torch.zeros(len(images), dtype=torch.int64) if labels is None else labels
    train, test = split_indices(classes, test_fraction, seed)
    if labels is None:
        return Split(images[train]), Split(images[test])
    return Split(images[train], labels[train]), Split(images[test], labels[test])
