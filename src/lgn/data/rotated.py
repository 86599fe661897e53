"""Sets with a symmetry that was planted, made from others by seed: rotated MNIST, and CIFAR-10 with random flips.

Rotated MNIST has 12,000 digits to train on and 50,000 to test, each turned by its own angle.
"""

import math

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
    """The field's protocol: draw from all 70,000 digits without repetition, turn each by a uniform angle.

    With `quarter_turns` the angles are 0, 90, 180 and 270 degrees, and no pixel is interpolated. With `within` they
    are at most so many degrees either way: a symmetry that holds in part.
    """
    if mnist.train.labels is None or mnist.test.labels is None:
        raise DataError(f"{name} needs labels, {mnist.name} has none")
    images = torch.cat([mnist.train.samples, mnist.test.samples])
    labels = torch.cat([mnist.train.labels, mnist.test.labels])
    if len(images) < TRAIN_COUNT + TEST_COUNT:
        raise DataError(f"{name} needs {TRAIN_COUNT + TEST_COUNT} digits, {mnist.name} has {len(images)}")
    generator = generator_for(name, seed)
    chosen = torch.randperm(len(images), generator=generator)[: TRAIN_COUNT + TEST_COUNT]
    if quarter_turns:
        turned = turn(images[chosen], torch.randint(4, (len(chosen),), generator=generator))
    else:
        drawn = torch.rand(len(chosen), generator=generator)
        # The whole circle is counted from 0, as it always was here: angles are what the seed makes of them.
        angles = drawn * (2 * math.pi) if within == 180 else (2 * drawn - 1) * math.radians(within)
        turned = rotate(images[chosen], angles)
    train, test = (
        Split(turned[part].clone(), labels[chosen[part]])
        for part in (slice(None, TRAIN_COUNT), slice(TRAIN_COUNT, None))
    )
    return DataSet(name, train, test, mnist.class_names, f"made from {mnist.source} with seed {seed}")


def turn_set(source: DataSet, name: str, seed: int) -> DataSet:
    """Turn every image by a random multiple of 90 degrees; train and test stay apart."""
    generator = generator_for(name, seed)
    train, test = (
        Split(turn(split.samples, torch.randint(4, (len(split),), generator=generator)), split.labels)
        for split in (source.train, source.test)
    )
    return DataSet(name, train, test, source.class_names, f"made from {source.source} with seed {seed}")


def flip_set(source: DataSet, name: str, seed: int) -> DataSet:
    """Every image as it is or mirrored left to right, by a coin of its own; train and test stay what they are."""
    generator = generator_for(name, seed)
    flipped = []
    for split in (source.train, source.test):
        drawn = torch.rand(len(split.samples), generator=generator) < 0.5
        images = split.samples.clone()
        images[drawn] = images[drawn].flip(-1)
        flipped.append(Split(images, split.labels))
    train, test = flipped
    return DataSet(name, train, test, source.class_names, f"made from {source.source} with seed {seed}")


def rotate(images: Tensor, angles: Tensor) -> Tensor:
    """Turn each image about its centre, counter-clockwise, bilinearly; what comes from outside is black.

    Shapes: uint8 (N, C, H, W), radians (N,) -> uint8 (N, C, H, W)
    """
    turned = torch.empty_like(images)
    for first in range(0, len(images), _CHUNK):
        part = slice(first, first + _CHUNK)
        turned[part] = rotate_floats(images[part].float(), angles[part]).round_().clamp_(0, 255).to(torch.uint8)
    return turned


def rotate_floats(images: Tensor, angles: Tensor) -> Tensor:
    """The same of floats; what comes from outside is 0.  (N, C, H, W), radians (N,) -> (N, C, H, W)"""
    height, width = images.shape[-2:]
    cosine, sine, zero = angles.cos(), angles.sin(), torch.zeros_like(angles)
    # The grid asks where each pixel of the result comes from: the inverse turn, with y pointing down, in
    # coordinates that run from -1 to 1 on either axis whatever its length.
    ratio = height / width
    turns = torch.stack([cosine, -sine * ratio, zero, sine / ratio, cosine, zero], 1).unflatten(1, (2, 3))
    grid = F.affine_grid(turns, list(images.shape), align_corners=False)
    return F.grid_sample(images, grid, mode="bilinear", padding_mode="zeros", align_corners=False)


def turned(images: Tensor) -> Tensor:
    """Each image by an angle of its own, drawn from the whole circle by torch's generator: to show more of them."""
    return rotate_floats(images, 2 * math.pi * torch.rand(len(images)).to(images))


def turn(images: Tensor, quarters: Tensor) -> Tensor:
    """Turn each square image by its number of quarters, counter-clockwise, exactly.  (N, C, H, H), (N,) -> same"""
    if images.shape[-1] != images.shape[-2]:
        raise DataError(f"quarter turns need square images, got {tuple(images.shape[-2:])}")
    turned = torch.empty_like(images)
    for quarter in range(4):
        chosen = quarters % 4 == quarter
        turned[chosen] = torch.rot90(images[chosen], quarter, (-2, -1))
    return turned
