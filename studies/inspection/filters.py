"""Banks of filters without a group: every filter is drawn independently.

Every function takes a random generator and the numbers of filters, channels and pixels, and returns a tensor of shape
(filters, channels, n, n).
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def uniform(generator: torch.Generator, *shape: int) -> Tensor:
    return torch.rand(*shape, generator=generator, dtype=torch.float64)


def normal(generator: torch.Generator, *shape: int) -> Tensor:
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def unit(filters: Tensor) -> Tensor:
    """Without the mean of each channel, of unit norm."""
    varying = filters - filters.mean((-2, -1), keepdim=True)
    return F.normalize(varying.flatten(1), dim=1).reshape(filters.shape)


def gabors(generator: torch.Generator, count: int, channels: int, n: int, angles: Tensor | None = None) -> Tensor:
    """Waves in a Gaussian window: any angle, frequency, phase, width and place; half of them grey."""
    draw = lambda: uniform(generator, count)[:, None, None]  # noqa: E731
    place = torch.arange(n, dtype=torch.float64) - (n - 1) / 2
    row, column = place[:, None], place[None, :]
    angle = math.pi * draw() if angles is None else angles[:, None, None]
    frequency = 0.6 / n * (0.45 * n / 0.6) ** draw()  # cycles a pixel, from a bit more than half a wave to 0.45
    phase, width, roundness = 2 * math.pi * draw(), n * (0.12 + 0.2 * draw()), 0.6 + 0.8 * draw()
    down, right = (0.12 * n * normal(generator, 2, count, 1, 1)).clamp(-n / 4, n / 4)
    along = (column - right) * angle.cos() + (row - down) * angle.sin()
    across = (row - down) * angle.cos() - (column - right) * angle.sin()
    window = torch.exp(-(along**2 + (roundness * across) ** 2) / (2 * width**2))
    waves = window * torch.cos(2 * math.pi * frequency * along + phase)
    grey = (uniform(generator, count, 1) < 0.5).double()
    colours = grey + (1 - grey) * normal(generator, count, channels)
    return waves[:, None] * colours[:, :, None, None]


def cardinal_gabors(generator: torch.Generator, count: int, channels: int, n: int) -> Tensor:
    """Upright and level ones alone, within a few degrees."""
    quarter = torch.randint(0, 2, (count,), generator=generator) * math.pi / 2
    return gabors(generator, count, channels, n, quarter + math.radians(4) * normal(generator, count))


def tilted_gabors(generator: torch.Generator, count: int, channels: int, n: int) -> Tensor:
    """Angles from 0 to 60 degrees alone: every flip and quarter turn leads out of them."""
    return gabors(generator, count, channels, n, math.radians(60) * uniform(generator, count))


def smoothed_noise(generator: torch.Generator, count: int, channels: int, n: int) -> Tensor:
    """White noise under a Gaussian blur of 0.7 to 1.5 pixels."""
    margin = 4
    sigma = 0.7 + 0.8 * float(uniform(generator, 1))
    places = torch.arange(-margin, margin + 1, dtype=torch.float64)
    profile = torch.exp(-(places**2) / (2 * sigma**2))
    noise = normal(generator, count * channels, 1, n + 2 * margin, n + 2 * margin)
    return F.conv2d(noise, (profile[:, None] * profile)[None, None]).view(count, channels, n, n)


def decorrelated(generator: torch.Generator, count: int, channels: int, n: int) -> Tensor:
    """Gabors or smoothed noise, made nearly orthogonal to each other: they repel."""
    make = gabors if float(uniform(generator, 1)) < 0.5 else smoothed_noise
    filters = unit(make(generator, count, channels, n))
    u, s, vh = torch.linalg.svd(filters.flatten(1), full_matrices=False)
    kept = s > 1e-3 * s[0]
    even = s[kept] ** (0.3 * float(uniform(generator, 1)))
    return ((u[:, kept] * even) @ vh[kept]).reshape(filters.shape)


def farthest_point(generator: torch.Generator, count: int, channels: int, n: int, pool: Tensor | None = None) -> Tensor:
    """Of thirty times as many Gabors, those that are farthest from each other, one after the other."""
    candidates = unit(gabors(generator, 30 * count, channels, n) if pool is None else pool)
    flat = candidates.flatten(1)
    chosen, likeness = [0], (flat @ flat[0]).abs()
    while len(chosen) < count:
        chosen.append(int(likeness.argmin()))
        likeness = torch.maximum(likeness, (flat @ flat[chosen[-1]]).abs())
    return candidates[chosen]


def random_phases(generator: torch.Generator, count: int, channels: int, n: int) -> Tensor:
    """The spectra of Gabors with the phases of noise, the same in all channels."""
    spectra = torch.fft.rfft2(gabors(generator, count, channels, n))
    phases = torch.angle(torch.fft.rfft2(normal(generator, count, 1, n, n)))
    return torch.fft.irfft2(spectra * torch.exp(1j * phases), s=(n, n))


# Families that were added after all thresholds had been fixed.


def untrained_network(generator: torch.Generator, count: int, channels: int, n: int) -> Tensor:
    """The first layer of a network as torch starts it: uniform, normal, or orthogonal filters."""
    starts = (nn.init.kaiming_uniform_, nn.init.xavier_normal_, nn.init.orthogonal_)
    start = starts[int(torch.randint(0, len(starts), (1,), generator=generator))]
    return start(torch.empty(count, channels, n, n, dtype=torch.float64), generator=generator)


def smoothed_network(generator: torch.Generator, count: int, channels: int, n: int) -> Tensor:
    """The filters of several untrained 3x3 layers in a row as one layer, with a blur."""
    filters = torch.eye(channels, dtype=torch.float64)[:, :, None, None]  # (seen, channels, size, size)
    layers = (n - 1) // 2
    for layer in range(layers):
        weight = normal(generator, count if layer == layers - 1 else 2 * count, len(filters), 3, 3)
        # A convolution after a convolution: their kernels convolved.
        filters = F.conv2d(filters.transpose(0, 1), weight.flip(-2, -1), padding=2).transpose(0, 1)
    blur = torch.tensor([1.0, 2.0, 1.0], dtype=torch.float64)
    blurred = F.conv2d(filters.flatten(0, 1)[:, None], (blur[:, None] * blur)[None, None], padding=1)
    return blurred.view(filters.shape)


def spread_cardinal_gabors(generator: torch.Generator, count: int, channels: int, n: int) -> Tensor:
    """Upright and level Gabors that are far from each other, which is the hardest case for a test."""
    return farthest_point(generator, count, channels, n, cardinal_gabors(generator, 30 * count, channels, n))


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
