"""Data sets with a planted symmetry: rotated MNIST, and CIFAR-10 with random flips.

Rotated MNIST has 12,000 digits in train and 50,000 in test. Every digit is turned by its own random angle.
"""

import math
from collections.abc import Callable
from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import Tensor

from lgn.data.dataset import DataSet, Split
from lgn.data.errors import DataError
from lgn.data.seeds import generator_for

TRAIN_COUNT = 12_000
TEST_COUNT = 50_000
_CHUNK = 4096


def rotate_set(mnist: DataSet, name: str, seed: int, *, quarter_turns: bool = False, within: float = 180.0) -> DataSet:
    """The usual protocol: draw from all 70,000 digits without repetition, turn every digit by a uniform angle.

    quarter_turns: the angles are 0, 90, 180 and 270 degrees, and no pixel is interpolated.
    within: largest angle in degrees, in both directions; below 180 the symmetry holds partly.
    """
    if mnist.train.labels is None or mnist.test.labels is None:
        raise DataError(f"{mnist.name} must have labels to make {name}")
    images = torch.cat([mnist.train.samples, mnist.test.samples])
    labels = torch.cat([mnist.train.labels, mnist.test.labels])
    if len(images) < TRAIN_COUNT + TEST_COUNT:
        raise DataError(
            f"{mnist.name} must have at least {TRAIN_COUNT + TEST_COUNT} digits to make {name}, got {len(images)}"
        )
    generator = generator_for(name, seed)
    chosen = torch.randperm(len(images), generator=generator)[: TRAIN_COUNT + TEST_COUNT]
    if quarter_turns:
        turned = turn(images[chosen], torch.randint(4, (len(chosen),), generator=generator))
    else:
        drawn = torch.rand(len(chosen), generator=generator)
        # The whole circle is 0 to 360 degrees, not -180 to 180: stored results rely on these images.
        angles = drawn * (2 * math.pi) if within == 180 else (2 * drawn - 1) * math.radians(within)
        turned = rotate(images[chosen], angles)
    whole = Split(turned, labels[chosen])
    train, test = whole.part(slice(TRAIN_COUNT)), whole.part(slice(TRAIN_COUNT, None))
    return replace(mnist, name=name, train=train, test=test, source=f"made from {mnist.source} with seed {seed}")


def turn_set(source: DataSet, name: str, seed: int) -> DataSet:
    """Turn every image by a random multiple of 90 degrees; train and test stay apart."""

    def turned(images: Tensor, generator: torch.Generator) -> Tensor:
        return turn(images, torch.randint(4, (len(images),), generator=generator))

    return _changed_set(source, name, seed, turned)


def flip_set(source: DataSet, name: str, seed: int) -> DataSet:
    """A random half of the images mirrored left to right; train and test are not mixed."""

    def flipped(images: Tensor, generator: torch.Generator) -> Tensor:
        mirrored = torch.rand(len(images), generator=generator) < 0.5
        return torch.where(mirrored[:, None, None, None], images.flip(-1), images)

    return _changed_set(source, name, seed, flipped)


def _changed_set(source: DataSet, name: str, seed: int, change: Callable[[Tensor, torch.Generator], Tensor]) -> DataSet:
    generator = generator_for(name, seed)
    train, test = (Split(change(split.samples, generator), split.labels) for split in (source.train, source.test))
    return replace(source, name=name, train=train, test=test, source=f"made from {source.source} with seed {seed}")


def rotate(images: Tensor, angles: Tensor) -> Tensor:
    """Turn every image about its centre, counter-clockwise, with bilinear interpolation and a black outside.

    Shapes: uint8 (N, C, H, W), radians (N,) -> uint8 (N, C, H, W)
    """
    turned = torch.empty_like(images)
    for first in range(0, len(images), _CHUNK):
        part = slice(first, first + _CHUNK)
        turned[part] = rotate_floats(images[part].float(), angles[part]).round_().clamp_(0, 255).to(torch.uint8)
    return turned


def rotate_floats(images: Tensor, angles: Tensor) -> Tensor:
    """`rotate` for floating-point images, with zeros outside.  (N, C, H, W), radians (N,) -> (N, C, H, W)"""
    height, width = images.shape[-2:]
    cosine, sine, zero = angles.cos(), angles.sin(), torch.zeros_like(angles)
    # The grid holds the source of every pixel of the result: the inverse turn, with y pointing down, in coordinates
    # from -1 to 1 on both axes, whatever their length.
    ratio = height / width
    turns = torch.stack([cosine, -sine * ratio, zero, sine / ratio, cosine, zero], 1).unflatten(1, (2, 3))
    grid = F.affine_grid(turns, list(images.shape), align_corners=False)
    return F.grid_sample(images, grid, mode="bilinear", padding_mode="zeros", align_corners=False)


def randomly_turned(images: Tensor) -> Tensor:
    """Every image turned by its own random angle of the whole circle, from the global generator; an augmentation."""
    return rotate_floats(images, 2 * math.pi * torch.rand(len(images)).to(images))


def turn(images: Tensor, quarters: Tensor) -> Tensor:
    """Turn every square image counter-clockwise by its number of quarter turns, exactly.  (N, C, H, H), (N,) -> same"""
    if images.shape[-1] != images.shape[-2]:
        raise DataError(f"images must be square for quarter turns, got {tuple(images.shape[-2:])}")
    turned = torch.empty_like(images)
    for quarter in range(4):
        chosen = quarters % 4 == quarter
        turned[chosen] = torch.rot90(images[chosen], quarter, (-2, -1))
    return turned
