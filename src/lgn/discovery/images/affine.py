"""Evidence from a network that is given no candidate: which affine map do the orbits of its filters learn?"""

from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.discovery.filters.start_search import Search, search_starts, spread_angles
from lgn.discovery.images.fitting import correct, fit, torch_seed
from lgn.discovery.images.observer import smaller
from lgn.generators import Affine, generators_of
from lgn.nn import GroupConv2d, pool_sets
from lgn.transforms import operator

SETS, ORDER, KERNEL, SIDE = 24, 4, 9, 14
#: Rotations that it starts from, the images that every start learns from at most, and how many it sees in all.
STARTS, IMAGES, VISITS = 8, 6000, 18_000


@dataclass(frozen=True)
class AffineMap:
    """The affine map that was learned from labels alone, and what a network with it gains over free filters.

    degrees, counter-clockwise, scale, shear and stretch: as of `lgn.generators.Affine.geometry`. points: in percent,
    with their standard error, of networks trained anew on images that did not choose the start. claimed: at most 2 of
    100 are, where there is nothing to gain; what is not claimed is where a start happened to end.
    """

    degrees: float
    scale: float
    shear: float
    stretch: float
    points: float
    error: float
    p_value: float
    claimed: bool
    starts: int


class SetPoolClassifier(nn.Module):
    """One group layer, the largest response of each set, its mean and maximum over the image, and a linear head.

    Shapes: (N, C, H, W) -> (N, classes)
    """

    def __init__(self, convolution: nn.Module, classes: int = 10) -> None:
        super().__init__()
        self.convolution = convolution
        self.norm = nn.BatchNorm2d(SETS)
        self.head = nn.Linear(2 * SETS, classes)

    def forward(self, images: Tensor) -> Tensor:
        codes = F.relu(self.norm(pool_sets(self.convolution(images), group=ORDER)))
        return self.head(torch.cat([codes.mean((2, 3)), codes.amax((2, 3))], 1))


def ask_affine(learns: tuple[Tensor, Tensor], judges: tuple[Tensor, Tensor], classes: int, seed: int) -> AffineMap:
    """Learn an affine map from several starts, and compare the best with free filters.

    Shapes: images (N, C, H, W) and labels (N,), to learn from and to judge by
    """
    some = learns[0][:IMAGES], learns[1][:IMAGES]
    found = search_affine((smaller(some[0], SIDE), some[1]), (smaller(judges[0], SIDE), judges[1]), classes, seed)
    geometry = affine_generator(found.model).geometry()
    return AffineMap(
        float(geometry.degrees),
        float(geometry.scale),
        float(geometry.shear),
        float(geometry.stretch),
        100 * found.advantage,
        100 * found.standard_error,
        found.p_value,
        found.claimed,
        len(found.trials),
    )


def search_affine(
    learns: tuple[Tensor, Tensor], judges: tuple[Tensor, Tensor], classes: int, seed: int, starts: int = STARTS
) -> Search:
    """All starts, the best of them, and whether it beats free filters: `search_starts`, of images at most 14x14."""
    (x, y), (x_judge, y_judge) = learns, judges
    shape = x.shape[1], classes, min(KERNEL, *x.shape[-2:])
    return search_starts(
        {f"{angle:.1f}": partial(affine, angle, shape=shape) for angle in starting_angles(starts, seed)},
        partial(free, shape=shape),
        lambda model, with_seed: fit(model, x, y, max(round(VISITS / len(x)), 1), with_seed),
        partial(correct, x=x_judge, y=y_judge),
        seed=seed,
    )


def affine_generator(model: nn.Module) -> Affine:
    """The generator of a network that has learned a map."""
    (generator,) = generators_of(model).values()
    assert isinstance(generator, Affine)
    return generator


def starting_angles(count: int, seed: int) -> list[float]:
    """Spread evenly, moved by the seed, and none within 10 degrees of a multiple of 90 where there are 8."""
    return spread_angles(count, offset=(-10, -5, 0, 5, 10)[seed % 5])


Shape = tuple[int, int, int]  # channels, classes, kernel
GREY: Shape = (1, 10, KERNEL)


def free(seed: int, shape: Shape = GREY) -> SetPoolClassifier:
    """The control: as many filters, pooled alike, without a group."""
    channels, classes, kernel = shape
    with torch_seed(seed):
        return SetPoolClassifier(nn.Conv2d(channels, SETS * ORDER, kernel), classes)


def affine(degrees: float, seed: int, shape: Shape = GREY) -> SetPoolClassifier:
    """An affine generator for the whole layer, that starts as a rotation."""
    channels, classes, kernel = shape
    start = operator("rotation", (kernel, kernel), degrees=degrees, mode="bilinear")
    with torch_seed(seed):
        layer = GroupConv2d(
            channels, SETS, kernel, group=ORDER, bias="set", generator="affine", share="layer", start=start
        )
        return SetPoolClassifier(layer, classes)
