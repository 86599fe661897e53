"""Batches by indexing: no workers, no Python per image, and an order that depends on seed and epoch alone."""

from collections.abc import Iterator

import torch
from torch import Tensor

from lgn.data.errors import DataError
from lgn.data.preprocess import Preprocessing, unit_range
from lgn.data.seeds import generator_for


def epoch_order(count: int, seed: int, epoch: int) -> Tensor:
    """The order in which an epoch visits `count` images: a permutation, the same wherever and whenever it is asked.

    Shapes: -> int64 (count,)
    """
    return torch.randperm(count, generator=generator_for("epoch", seed, epoch))


def batches(
    images: Tensor,
    labels: Tensor | None,
    batch_size: int,
    seed: int,
    epoch: int,
    start: int = 0,
    shuffle: bool = True,
    preprocessing: Preprocessing | None = None,
) -> Iterator[tuple[Tensor, Tensor | None]]:
    """The batches of one epoch from the batch `start` on, so that a run can go on in the middle of an epoch.

    `images` are uint8, or what `preprocessing.prepare` made of them. Without `preprocessing`, bytes become 0..1.
    The last batch may be smaller: every image is seen once.

    Shapes: (N, C, H, W), (N,) -> float32 (B, C, H, W), (B,)
    """
    if batch_size < 1 or start < 0:
        raise DataError(f"batch_size must be at least 1 and start at least 0, got {batch_size} and {start}")
    if labels is not None and len(labels) != len(images):
        raise DataError(f"there are {len(images)} images and {len(labels)} labels")
    count, device = len(images), images.device
    order = (epoch_order(count, seed, epoch) if shuffle else torch.arange(count)).to(device)
    finish = unit_range if preprocessing is None else preprocessing.apply
    parts = order[start * batch_size :].split(batch_size) if start * batch_size < count else ()
    return ((finish(images[chosen]), None if labels is None else labels[chosen]) for chosen in parts)
