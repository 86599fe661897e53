"""Families of unrelated banks that were written after the thresholds were fixed: nothing was tuned to them."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from studies.inspection.filters import farthest_point, gabors, normal, uniform, unit

STARTS = (nn.init.kaiming_uniform_, nn.init.xavier_normal_, nn.init.orthogonal_)


def untrained_network(generator: torch.Generator, count: int, channels: int, n: int) -> Tensor:
    """The first layer of a network as torch starts it: uniform, normal, or orthogonal filters."""
    start = STARTS[int(torch.randint(0, len(STARTS), (1,), generator=generator))]
    weight = torch.empty(count, channels, n, n, dtype=torch.float64)
    start(weight, generator=generator)
    return weight


def smoothed_network(generator: torch.Generator, count: int, channels: int, n: int) -> Tensor:
    """What the last of several untrained 3x3 layers sees of the image, under a blur: one linear filter each."""
    filters = torch.eye(channels, dtype=torch.float64)[:, :, None, None]  # (seen, channels, size, size)
    layers = (n - 1) // 2
    for layer in range(layers):
        wide = count if layer == layers - 1 else 2 * count
        weight = normal(generator, wide, len(filters), 3, 3)
        # A convolution after a convolution: their kernels convolved.
        grown = F.conv2d(filters.transpose(0, 1), weight.flip(-2, -1), padding=2)  # (channels, wide, size, size)
        filters = grown.transpose(0, 1)
    blur = torch.tensor([1.0, 2.0, 1.0], dtype=torch.float64)
    blurred = F.conv2d(filters.flatten(0, 1)[:, None], (blur[:, None] * blur)[None, None], padding=1)
    return blurred.view(filters.shape)


def spread_cardinal_gabors(generator: torch.Generator, count: int, channels: int, n: int) -> Tensor:
    """Upright and level Gabors that repel: both of what fools a test, at once."""
    quarter = torch.randint(0, 2, (30 * count,), generator=generator) * math.pi / 2
    angles = quarter + math.radians(4) * normal(generator, 30 * count)
    return farthest_point(generator, count, channels, n, gabors(generator, 30 * count, channels, n, angles))


def edges_and_blobs(generator: torch.Generator, count: int, channels: int, n: int) -> Tensor:
    """First and second derivatives of Gaussians at any angle, some of them repelling, in few colours, with noise."""
    place = torch.arange(n, dtype=torch.float64) - (n - 1) / 2
    many = 4 * count
    angle = 2 * math.pi * uniform(generator, many, 1, 1)
    width = n * (0.12 + 0.12 * uniform(generator, many, 1, 1))
    down, right = 0.08 * n * normal(generator, 2, many, 1, 1)
    row, column = place[:, None] - down, place[None, :] - right
    along = (column * angle.cos() + row * angle.sin()) / width
    window = torch.exp(-(row**2 + column**2) / (2 * width**2))
    second = uniform(generator, many, 1, 1) < 0.5
    shapes = torch.where(second, (along**2 - 1) * window, along * window)
    palette = normal(generator, 3, channels)
    colours = palette[torch.randint(0, 3, (many,), generator=generator)]
    filters = unit(shapes[:, None] * colours[:, :, None, None])
    noisy = filters + 0.1 * unit(normal(generator, *filters.shape))
    return farthest_point(generator, count, channels, n, noisy) if float(uniform(generator, 1)) < 0.5 else noisy[:count]
