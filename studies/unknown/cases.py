"""Data with symmetries that are known, and data with none: the input of `discover_moments`, and what is true."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from itertools import permutations
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

import lgn.data
from lgn import groups
from lgn.data.rotated import rotate
from lgn.data.seeds import generator_for
from lgn.discovery.moments.known_maps import ring_derivative
from lgn.discovery.moments.prepare import prepare
from lgn.discovery.moments.sample import principal_directions
from lgn.transforms import parse_operator
from lgn.transforms.warps import rotation_generator

TURNS = ("rotation 90", "rotation 180", "rotation 270")
FLIPS = ("reflection columns", "reflection rows", "transposition", "transposition then rotation 180")
GROUPS = {
    "flip": FLIPS[:1],
    "half turn": TURNS[1:2],
    "quarter turns": TURNS,
    "D4": (*TURNS, *FLIPS),
}
PIXELS: dict[str, Callable[[Tensor], Tensor]] = {
    "rotation 90": lambda x: x.rot90(1, (-2, -1)),
    "rotation 180": lambda x: x.rot90(2, (-2, -1)),
    "rotation 270": lambda x: x.rot90(3, (-2, -1)),
    "reflection columns": lambda x: x.flip(-1),
    "reflection rows": lambda x: x.flip(-2),
    "transposition": lambda x: x.transpose(-2, -1),
    "transposition then rotation 180": lambda x: x.transpose(-2, -1).rot90(2, (-2, -1)),
}


@dataclass(frozen=True, eq=False)
class Case:
    """Data, the elements of their group but the identity, and the generators of its continuous part."""

    x: Tensor
    elements: list[Tensor] = field(default_factory=list)  # (d, d)
    generators: list[Tensor] = field(default_factory=list)  # (d, d)
    options: dict[str, Any] = field(default_factory=dict)


def turned(images: Tensor, task: str, seed: int, size: int = 14) -> Case:
    names = GROUPS[task]
    which = torch.randint(len(names) + 1, (len(images),), generator=generator_for("unknown turned", seed))
    x = images.clone()
    for number, name in enumerate(names):
        x[which == number] = PIXELS[name](images[which == number])
    same = torch.eye(images.shape[1], dtype=torch.float64)
    return Case(x, [torch.kron(same, parse_operator(name, (size, size))) for name in names])


def uniform_angles(images: Tensor, seed: int) -> Case:
    angles = 2 * math.pi * torch.rand(len(images), generator=generator_for("unknown uniform_angles", seed))
    return Case(rotate(images, angles), [], [rotation_generator((14, 14))])


def rings(images: Tensor, seed: int, places: int = 8) -> Case:
    """Signals on a ring, the profile of an image, begun anywhere: all shifts are kept."""
    profile = F.adaptive_avg_pool1d(images.double().mean(-2), places)[:, 0]
    begin = torch.randint(places, (len(images), 1), generator=generator_for("unknown rings", seed))
    eye = torch.eye(places, dtype=torch.float64)
    return Case(profile.gather(1, (torch.arange(places) + begin) % places), [eye.roll(k, 0) for k in range(1, places)])


def continuous_rings(images: Tensor, seed: int, places: int = 15) -> Case:
    """Smooth signals on a ring, begun anywhere between the places too: shifts by any length are kept."""
    profile = F.adaptive_avg_pool1d(images.double().mean(-2), places)[:, 0]
    waves = torch.fft.rfft(profile)
    begin = torch.rand(len(images), 1, generator=generator_for("unknown continuous_rings", seed), dtype=torch.float64)
    moved = waves * torch.exp(2j * math.pi * begin * torch.arange(waves.shape[1]))
    return Case(torch.fft.irfft(moved, places), [], [ring_derivative(places)])


def channels(images: Tensor, seed: int) -> Case:
    """The colours of 2x2 images in any order, which the flip of the images goes with: S3 x C2, of order 12."""
    orders = torch.tensor(list(permutations(range(3))))
    which = torch.randint(6, (len(images),), generator=generator_for("unknown channels", seed))
    small = F.adaptive_avg_pool2d(images.float(), 2)
    x = small[torch.arange(len(images))[:, None], orders[which]]
    eye, flip = torch.eye(3, dtype=torch.float64), parse_operator("reflection columns", (2, 2))
    still = torch.eye(4, dtype=torch.float64)
    maps = [torch.kron(eye[list(order)], pixels) for order in permutations(range(3)) for pixels in (still, flip)]
    return Case(x, maps[1:], [], {"size": 2, "blur": 0.0})


def nameless(images: Tensor, task: str, rank: int, seed: int) -> Case:
    """The leading coordinates of images under powers of a matrix without a name, or under a whole group of such."""
    generator = generator_for("nameless", seed)
    z = leading(images, rank)
    frame = _frame(rank, generator)
    back = torch.linalg.inv(frame)
    if task == "one-parameter":
        skew = _rotation_generator(rank, generator)
        turns = 2 * math.pi * torch.rand(len(z), generator=generator, dtype=torch.float64)
        # exp(t L) by frequencies: L is block diagonal in a random orthonormal basis.
        return Case(_flow(z @ back.T, skew, turns) @ frame.T, [], [frame @ _full(skew) @ back])
    inner = dihedral(rank, generator) if task == "D4" else cyclic(rank, int(task.removeprefix("order ")), generator)
    elements = [frame @ each @ back for each in inner]
    which = torch.randint(len(elements), (len(z),), generator=generator)
    x = torch.stack(elements)[which] @ z.unsqueeze(2)
    return Case(x[:, :, 0], elements[1:])


def cyclic(rank: int, order: int, generator: torch.Generator) -> list[Tensor]:
    """Powers of an orthogonal matrix with the p-th roots of unity in a random frame, the identity first."""
    basis = torch.linalg.qr(torch.randn(rank, rank, generator=generator, dtype=torch.float64))[0]
    block = torch.eye(order, dtype=torch.float64).roll(1, 0)
    count = rank // order
    matrix = torch.block_diag(*[block] * count, torch.eye(rank - order * count, dtype=torch.float64))
    turn = basis @ matrix @ basis.T
    return [torch.linalg.matrix_power(turn, power) for power in range(order)]


def dihedral(rank: int, generator: torch.Generator) -> list[Tensor]:
    """The regular representation of D4, as often as it fits, in a random frame."""
    group = groups.dihedral(4)
    table = torch.as_tensor(group.table)
    basis = torch.linalg.qr(torch.randn(rank, rank, generator=generator, dtype=torch.float64))[0]
    count = rank // 8
    eye = torch.eye(rank - 8 * count, dtype=torch.float64)
    elements = []
    for row in table:
        regular = torch.eye(8, dtype=torch.float64)[row].T  # g h from h
        elements.append(basis @ torch.block_diag(*[regular] * count, eye) @ basis.T)
    return elements


def gaussian(count: int, rank: int, seed: int) -> Case:
    generator = generator_for("unknown gaussian", seed)
    return Case(torch.randn(count, rank, generator=generator, dtype=torch.float64) @ _frame(rank, generator))


def skewed(count: int, rank: int, seed: int) -> Case:
    """Independent coordinates, each of its own skewness, mixed: nothing is kept."""
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


@cache
def images_of(source: str, colour: bool = False) -> Tensor:
    images = lgn.data.load(source, download=False).train.samples
    return images if colour else images.float().mean(1, keepdim=True).to(torch.uint8)


def some(images: Tensor, count: int, seed: int) -> Tensor:
    return images[torch.randperm(len(images), generator=generator_for("unknown some", seed))[:count]]


def leading(images: Tensor, rank: int) -> Tensor:
    x = prepare(images, None, "images")[0].x
    return principal_directions(x).frame(rank).apply(x)


def _frame(rank: int, generator: torch.Generator) -> Tensor:
    left, right = (
        torch.linalg.qr(torch.randn(rank, rank, generator=generator, dtype=torch.float64))[0] for _ in range(2)
    )
    return left * torch.logspace(0, math.log10(4), rank, dtype=torch.float64) @ right


def _rotation_generator(rank: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    basis = torch.linalg.qr(torch.randn(rank, rank, generator=generator, dtype=torch.float64))[0]
    return basis, 1.0 + torch.arange(rank // 2, dtype=torch.float64) % 3


def _full(skew: tuple[Tensor, Tensor]) -> Tensor:
    basis, frequencies = skew
    blocks = [torch.tensor([[0.0, -f], [f, 0.0]], dtype=torch.float64) for f in frequencies.tolist()]
    rest = torch.zeros(len(basis) - 2 * len(blocks), len(basis) - 2 * len(blocks), dtype=torch.float64)
    return basis @ torch.block_diag(*blocks, rest) @ basis.T


def _flow(z: Tensor, skew: tuple[Tensor, Tensor], turns: Tensor) -> Tensor:
    basis, frequencies = skew
    inner = z @ basis
    planes = inner[:, : 2 * len(frequencies)].reshape(len(z), -1, 2)
    angles = turns[:, None] * frequencies
    first = planes[..., 0] * angles.cos() - planes[..., 1] * angles.sin()
    second = planes[..., 0] * angles.sin() + planes[..., 1] * angles.cos()
    moved = torch.cat([torch.stack([first, second], -1).flatten(1), inner[:, 2 * len(frequencies) :]], 1)
    return moved @ basis.T
