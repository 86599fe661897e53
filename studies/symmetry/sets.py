"""Images with planted symmetries: functions of images and a generator, and images that are drawn."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import permutations

import torch
from torch import Tensor

from lgn.data.rotated import rotate
from lgn.transforms import act_square, channel_permutation

#: Random shifts are up to so many pixels either way; partial turns up to so many degrees.
SHIFT, PARTIAL = 4, 45
SIDE = 28  # of images that are drawn
COLOURS = [channel_permutation(order) for order in permutations(range(3))]

Make = Callable[[Tensor, torch.Generator], Tensor]


def under_random(maps: Sequence[Callable[[Tensor], Tensor]]) -> Make:

    def make(images: Tensor, generator: torch.Generator) -> Tensor:
        drawn = torch.randint(len(maps), (len(images),), generator=generator)
        made = images.clone()
        for number, move in enumerate(maps):
            made[drawn == number] = move(images[drawn == number])
        return made

    return make


def random_elements(*elements: int) -> Make:
    return under_random([partial(act_square, element=element) for element in elements])


def views(images: Tensor, make: Make | None, count: int, per_image: int, generator: torch.Generator) -> Tensor:
    """Views of random images, or a random image for each view if `make` is None.

    (N, C, H, W) -> (count, per_image, C, H, W)
    """
    order = torch.randperm(len(images), generator=generator)
    if make is None:
        chosen = order[: count * per_image]
        return images[chosen[torch.arange(count * per_image) % len(chosen)]].unflatten(0, (count, per_image))
    return make(images[order[:count]].repeat_interleave(per_image, 0), generator).unflatten(0, (count, per_image))


def upright(images: Tensor, generator: torch.Generator) -> Tensor:
    return images


def any_angle(images: Tensor, generator: torch.Generator) -> Tensor:
    return rotate(images, 2 * math.pi * torch.rand(len(images), generator=generator))


def turned(degrees: float) -> Make:

    def make(images: Tensor, generator: torch.Generator) -> Tensor:
        angles = (2 * torch.rand(len(images), generator=generator) - 1) * math.radians(degrees)
        return rotate(images, angles)

    return make


def shifted(images: Tensor, generator: torch.Generator) -> Tensor:
    """Each image shifted by its own number of whole pixels along both axes; free places are black."""
    padded = torch.nn.functional.pad(images, (SHIFT,) * 4)
    places = torch.randint(2 * SHIFT + 1, (len(images), 2), generator=generator)
    windows = padded.unfold(-2, images.shape[-2], 1).unfold(-2, images.shape[-1], 1)
    return windows[torch.arange(len(images)), :, places[:, 0], places[:, 1]]


#: Colour channels in a random order.
channels = under_random(COLOURS)


def reordered(images: Tensor, generator: torch.Generator) -> Tensor:
    """Colour channels in a random order, as `channels`, but with the inverse permutations."""
    orders = torch.tensor(list(permutations(range(3))))[torch.randint(6, (len(images),), generator=generator)]
    return images.gather(1, orders.view(-1, 3, 1, 1).expand_as(images))


def negatives(images: Tensor, generator: torch.Generator) -> Tensor:
    drawn = torch.rand(len(images), generator=generator) < 0.5
    return torch.where(drawn[:, None, None, None], 255 - images, images)


def _noisy(values: Tensor, noise: float, generator: torch.Generator) -> Tensor:
    values = values + noise * torch.randn(len(values), 1, SIDE, SIDE, generator=generator)
    return values.round().clamp(0, 255).to(torch.uint8)


def spirals(images: Tensor, generator: torch.Generator) -> Tensor:
    """Spirals of one arm that wind one way, begun at any angle, with noise: only turns keep them."""
    place = torch.arange(SIDE) - (SIDE - 1) / 2
    radius = torch.hypot(place[:, None], place[None, :]).clamp(min=0.5)
    angle = torch.atan2(place[:, None], place[None, :])
    begin, tight, width = torch.rand(3, len(images), 1, 1, 1, generator=generator)
    phase = angle - (1.5 + 2 * tight) * radius.log() + 2 * math.pi * begin
    arm = phase.cos() * (-((radius / (5 + 8 * width)) ** 2)).exp()
    return _noisy(128 + 70 * arm, 30, generator)


def waves(images: Tensor, generator: torch.Generator) -> Tensor:
    """Two plane waves that slant by 10 to 40 degrees, begun anywhere, with noise: only half a turn keeps them."""
    place = torch.arange(SIDE) - (SIDE - 1) / 2
    slant, length, begin = torch.rand(3, len(images), 2, 1, 1, generator=generator)
    angle = torch.deg2rad(10 + 30 * slant)
    phase = (angle.cos() * place[None, :] + angle.sin() * place[:, None]) / (0.6 + length) + 2 * math.pi * begin
    return _noisy(128 + 35 * phase.cos().sum(1, keepdim=True), 30, generator)


def mixed(symmetric: Make, breaking: Make, share: float) -> Make:

    def make(images: Tensor, generator: torch.Generator) -> Tensor:
        chosen = torch.rand(len(images), generator=generator) < share
        return torch.where(chosen[:, None, None, None], breaking(images, generator), symmetric(images, generator))

    return make


def branches(images: Tensor, generator: torch.Generator) -> Tensor:
    """Three random walks up from the middle of the lowest row, with noise: only the flip of columns keeps them."""
    steps = torch.randint(2, (len(images), 3, SIDE // 2), generator=generator) * 2 - 1
    columns = (SIDE - 1) / 2 + steps.cumsum(2).repeat_interleave(2, 2).flip(2)  # (N, walks, rows)
    apart = torch.arange(SIDE)[None, None, None, :] - columns[..., None]
    drawn = (-(apart**2) / 2).exp().amax(1)[:, None]
    return _noisy(60 + 120 * drawn, 25, generator)
