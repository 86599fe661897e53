"""Data sets with a planted symmetry: rotated MNIST, and CIFAR-10 with random flips.

Rotated MNIST has 12,000 digits in train and 50,000 in test. Every digit is turned by its own random angle.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor

from lgn.data.dataset import DataSet, Split, join
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
    whole, count = join([mnist.train, mnist.test]), TRAIN_COUNT + TEST_COUNT
    if len(whole) < count:
        raise DataError(f"{mnist.name} must have at least {count} digits to make {name}, got {len(whole)}")
    generator = generator_for(name, seed)
    drawn = whole.part(torch.randperm(len(whole), generator=generator)[:count])
    if quarter_turns:
        turned = randomly_quarter_turned(drawn.samples, generator)
    else:
        shares = torch.rand(count, generator=generator)
        # The whole circle is 0 to 360 degrees, not -180 to 180: stored results rely on these images.
        angles = shares * (2 * math.pi) if within == 180 else (2 * shares - 1) * math.radians(within)
        turned = rotate(drawn.samples, angles)
    drawn = replace(drawn, samples=turned)
    return _made_from(mnist, name, seed, drawn.part(slice(TRAIN_COUNT)), drawn.part(slice(TRAIN_COUNT, None)))


def change_set(
    source: DataSet, name: str, seed: int, *, change: Callable[[Tensor, torch.Generator], Tensor]
) -> DataSet:
    """A random change of every image; train and test are not mixed."""
    generator = generator_for(name, seed)
    train, test = (Split(change(split.samples, generator), split.labels) for split in (source.train, source.test))
    return _made_from(source, name, seed, train, test)


def _made_from(source: DataSet, name: str, seed: int, train: Split, test: Split) -> DataSet:
    return replace(source, name=name, train=train, test=test, source=f"made from {source.source} with seed {seed}")


def randomly_quarter_turned(images: Tensor, generator: torch.Generator) -> Tensor:
    """Every image turned by a random multiple of 90 degrees."""
    return turn(images, torch.randint(4, (len(images),), generator=generator))


def randomly_flipped(images: Tensor, generator: torch.Generator) -> Tensor:
    """A random half of the images mirrored left to right."""
    mirrored = torch.rand(len(images), generator=generator) < 0.5
    return torch.where(mirrored[:, None, None, None], images.flip(-1), images)


#: The functions that make a data set from another one, a name and a seed.
MAKERS: dict[str, Callable[[DataSet, str, int], DataSet]] = {
    "digits-90": partial(change_set, change=randomly_quarter_turned),
    "rotated-mnist": rotate_set,
    "rotated-mnist-90": partial(rotate_set, quarter_turns=True),
    "rotated-mnist-45": partial(rotate_set, within=45.0),
    "flipped-cifar10": partial(change_set, change=randomly_flipped),
}


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
