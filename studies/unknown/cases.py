"""Data with known symmetries and data without a symmetry: the input of `discover_moments`, and the true maps."""

import math
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from lgn import groups
from lgn.data.seeds import generator_for
from lgn.discovery.moments.known_maps import ring_derivative
from lgn.discovery.moments.prepare import prepare
from lgn.discovery.moments.sample import whitening
from lgn.transforms import SQUARE, parse_operator
from lgn.transforms.warps import rotation_generator
from studies.symmetry.sets import any_angle, random_elements, reordered

SIDE = 14  # of images when their maps are known
GROUPS = {"flip": (4,), "half turn": (2,), "quarter turns": (1, 2, 3), "D4": (1, 2, 3, 4, 6, 5, 7)}


@dataclass(frozen=True, eq=False)
class Case:
    """Data, the elements of their group but the identity, and the generators of its continuous part."""

    x: Tensor
    elements: list[Tensor] = field(default_factory=list)  # (d, d)
    generators: list[Tensor] = field(default_factory=list)  # (d, d)
    options: dict[str, Any] = field(default_factory=dict)


def on_pixels(element: int, channels: int = 1, side: int = SIDE) -> Tensor:
    """The matrix of a symmetry of the square, (channels * side^2, the same)."""
    return torch.kron(torch.eye(channels, dtype=torch.float64), parse_operator(SQUARE[element], (side, side)))


def turned(images: Tensor, task: str, seed: int) -> Case:
    x = random_elements(*GROUPS[task], 0)(images, generator_for("unknown turned", seed))
    return Case(x, [on_pixels(element, images.shape[1]) for element in GROUPS[task]])


def uniform_angles(images: Tensor, seed: int) -> Case:
    x = any_angle(images, generator_for("unknown uniform_angles", seed))
    return Case(x, [], [rotation_generator((SIDE, SIDE))])


def rings(images: Tensor, seed: int, places: int = 8) -> Case:
    profile = F.adaptive_avg_pool1d(images.double().mean(-2), places)[:, 0]
    begin = torch.randint(places, (len(images), 1), generator=generator_for("unknown rings", seed))
    eye = torch.eye(places, dtype=torch.float64)
    return Case(profile.gather(1, (torch.arange(places) + begin) % places), [eye.roll(k, 0) for k in range(1, places)])


def continuous_rings(images: Tensor, seed: int, places: int = 15) -> Case:
    """Smooth signals on a ring, begun also between the places: shifts by any length are kept."""
    profile = F.adaptive_avg_pool1d(images.double().mean(-2), places)[:, 0]
    waves = torch.fft.rfft(profile)
    begin = torch.rand(len(images), 1, generator=generator_for("unknown continuous_rings", seed), dtype=torch.float64)
    moved = waves * torch.exp(2j * math.pi * begin * torch.arange(waves.shape[1]))
    return Case(torch.fft.irfft(moved, places), [], [ring_derivative(places)])


def channels(images: Tensor, seed: int) -> Case:
    """The colours of 2x2 images in any order, and with the flip of the images: S3 x C2, of order 12."""
    x = reordered(F.adaptive_avg_pool2d(images.float(), 2), generator_for("unknown channels", seed))
    eye = torch.eye(3, dtype=torch.float64)
    pixels = torch.eye(4, dtype=torch.float64), on_pixels(4, side=2)
    maps = [torch.kron(eye[list(order)], same) for order in permutations(range(3)) for same in pixels]
    return Case(x, maps[1:], [], {"size": 2, "blur": 0.0})


def nameless(images: Tensor, task: str, rank: int, seed: int) -> Case:
    """The leading coordinates of images under powers of a random matrix, or under a group of random matrices."""
    generator = generator_for("nameless", seed)
    x = prepare(images, None, "images")[0].x
    z = whitening(x).leading(rank).apply(x)
    frame = _frame(rank, generator)
    back, basis = torch.linalg.inv(frame), _orthogonal(rank, generator)
    if task == "one-parameter":
        frequencies = 1.0 + torch.arange(rank // 2, dtype=torch.float64) % 3
        angles = 2 * math.pi * torch.rand(len(z), 1, generator=generator, dtype=torch.float64) * frequencies
        blocks = [torch.tensor([[0.0, -f], [f, 0.0]], dtype=torch.float64) for f in frequencies.tolist()]
        skew = basis @ _block_diagonal(blocks, rank, 0.0) @ basis.T
        planes, rest = (z @ back.T @ basis).tensor_split([2 * len(frequencies)], 1)
        moved = torch.view_as_complex(planes.unflatten(1, (-1, 2)).contiguous()) * torch.exp(1j * angles)
        x = torch.cat([torch.view_as_real(moved).flatten(1), rest], 1)
        return Case(x @ basis.T @ frame.T, [], [frame @ skew @ back])
    group = groups.as_group("D4") if task == "D4" else groups.cyclic(int(task.removeprefix("order ")))
    count = rank // group.order
    inner = [basis @ _block_diagonal([regular] * count, rank, 1.0) @ basis.T for regular in group.regular().double()]
    elements = [frame @ element @ back for element in inner]
    which = torch.randint(len(elements), (len(z),), generator=generator)
    x = torch.stack(elements)[which] @ z.unsqueeze(2)
    return Case(x[:, :, 0], elements[1:])


def _block_diagonal(blocks: list[Tensor], rank: int, rest: float) -> Tensor:
    others = rank - sum(len(block) for block in blocks)
    return torch.block_diag(*blocks, rest * torch.eye(others, dtype=torch.float64))


def gaussian(count: int, rank: int, seed: int) -> Case:
    """White numbers, mixed. Every orthogonal map keeps the white ones, so nothing may be claimed of them."""
    generator = generator_for("unknown gaussian", seed)
    return Case(torch.randn(count, rank, generator=generator, dtype=torch.float64) @ _frame(rank, generator))


def skewed(count: int, rank: int, seed: int) -> Case:
    generator = generator_for("unknown skewed", seed)
    widths = torch.linspace(0.2, 0.8, rank, dtype=torch.float64)
    x = (widths * torch.randn(count, rank, generator=generator, dtype=torch.float64)).exp()  # log-normal
    return Case(x @ _frame(rank, generator))


def mixture(count: int, rank: int, seed: int) -> Case:
    """A mixture of normal distributions with centres, widths and weights of their own."""
    generator = generator_for("unknown mixture", seed)
    parts = 5
    centres = 2 * torch.randn(parts, rank, generator=generator, dtype=torch.float64)
    widths = torch.stack([_frame(rank, generator) for _ in range(parts)])
    which = torch.multinomial(torch.arange(1.0, parts + 1), count, replacement=True, generator=generator)
    noise = torch.randn(count, rank, 1, generator=generator, dtype=torch.float64)
    return Case(centres[which] + (widths[which] @ noise)[:, :, 0])


def _orthogonal(rank: int, generator: torch.Generator) -> Tensor:
    return torch.linalg.qr(torch.randn(rank, rank, generator=generator, dtype=torch.float64))[0]


def _frame(rank: int, generator: torch.Generator) -> Tensor:
    left, right = (_orthogonal(rank, generator) for _ in range(2))
    return left * torch.logspace(0, math.log10(4), rank, dtype=torch.float64) @ right
