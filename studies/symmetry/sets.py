"""Image sets whose symmetries are known, because they were planted; and what is true of each candidate."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from itertools import permutations

import torch
from torch import Tensor

import lgn.data
from lgn.data.rotated import rotate
from lgn.transforms import act_square, channel_permutation, families_of

TURNS = ("turn 90", "turn 180", "turn 270")
FLIPS = ("flip columns", "flip rows", "transposition", "antitransposition")
COLOURS = tuple(channel_permutation(order).name for order in list(permutations(range(3)))[1:])
EIGHTHS = tuple(f"turn {degrees}" for degrees in range(45, 360, 45))
#: Random shifts are up to so many pixels either way; partial turns up to so many degrees.
SHIFT, PARTIAL = 4, 45
#: Side of images that are drawn.
SIDE = 28

Make = Callable[[Tensor, torch.Generator], Tensor]


@dataclass(frozen=True)
class ImageCase:
    """Images under a name, how they are made, which candidates are asked, and which of them are kept.

    open: candidates of which nobody knows: reported, not counted.
    """

    name: str
    source: str
    make: Make
    candidates: tuple[str, ...]
    kept: frozenset[str] = frozenset()
    open: frozenset[str] = frozenset()

    def truth(self, candidate: str) -> str | None:
        """ "kept", "broken", or None where nobody knows."""
        if candidate in self.open:
            return None
        return "kept" if candidate in self.kept else "broken"


def random_elements(elements: Iterable[int]) -> Make:
    """Each image under a random one of some symmetries of the square."""
    chosen = torch.tensor(list(elements))

    def make(images: Tensor, generator: torch.Generator) -> Tensor:
        drawn = chosen[torch.randint(len(chosen), (len(images),), generator=generator)]
        made = images.clone()
        for element in chosen.tolist():
            made[drawn == element] = act_square(images[drawn == element], element)
        return made

    return make


def upright(images: Tensor, generator: torch.Generator) -> Tensor:
    """As they are."""
    del generator
    return images


def turned(degrees: float) -> Make:
    """Each image by its own angle, up to so many degrees either way."""

    def make(images: Tensor, generator: torch.Generator) -> Tensor:
        angles = (2 * torch.rand(len(images), generator=generator) - 1) * math.radians(degrees)
        return rotate(images, angles)

    return make


def shifted(images: Tensor, generator: torch.Generator) -> Tensor:
    """Each image by its own number of whole pixels, both ways, black where nothing comes from."""
    padded = torch.nn.functional.pad(images, (SHIFT,) * 4)
    places = torch.randint(2 * SHIFT + 1, (len(images), 2), generator=generator)
    made = torch.empty_like(images)
    height, width = images.shape[-2:]
    for down in range(2 * SHIFT + 1):
        for right in range(2 * SHIFT + 1):
            here = (places == torch.tensor([down, right])).all(1)
            made[here] = padded[here][..., down : down + height, right : right + width]
    return made


def channels(images: Tensor, generator: torch.Generator) -> Tensor:
    """Colour channels in an order of its own for each image."""
    (family,) = families_of(("colour",), "images", images[:1])
    drawn = torch.randint(6, (len(images),), generator=generator)
    made = images.clone()
    for element in range(6):
        made[drawn == element] = family.act(images[drawn == element], element)
    return made


def negatives(images: Tensor, generator: torch.Generator) -> Tensor:
    """Every second image, at random, is its negative."""
    drawn = torch.rand(len(images), generator=generator) < 0.5
    return torch.where(drawn[:, None, None, None], 255 - images, images)


def spirals(images: Tensor, generator: torch.Generator) -> Tensor:
    """Spirals of one arm that wind one way, each begun at its own angle, tight or wide, with noise; of no other images.

    Every turn of such a spiral is as likely as itself, and no mirror image ever comes.
    """
    count = len(images)
    place = torch.arange(SIDE) - (SIDE - 1) / 2
    radius = torch.hypot(place[:, None], place[None, :]).clamp(min=0.5)
    angle = torch.atan2(place[:, None], place[None, :])
    begin, tight, width = torch.rand(3, count, 1, 1, 1, generator=generator)
    phase = angle - (1.5 + 2 * tight) * radius.log() + 2 * math.pi * begin
    arm = phase.cos() * (-((radius / (5 + 8 * width)) ** 2)).exp()
    noise = torch.randn(count, 1, SIDE, SIDE, generator=generator)
    return (128 + 70 * arm + 30 * noise).round().clamp(0, 255).to(torch.uint8)


def waves(images: Tensor, generator: torch.Generator) -> Tensor:
    """Two plane waves each, slanting by 10 to 40 degrees, begun anywhere, with noise; of no other images.

    Half a turn begins a wave elsewhere, which is as likely; every other turn and flip slants it otherwise.
    """
    count = len(images)
    place = torch.arange(SIDE) - (SIDE - 1) / 2
    slant, length, begin = torch.rand(3, count, 2, 1, 1, generator=generator)
    angle = torch.deg2rad(10 + 30 * slant)
    phase = (angle.cos() * place[None, :] + angle.sin() * place[:, None]) / (0.6 + length) + 2 * math.pi * begin
    noise = torch.randn(count, 1, SIDE, SIDE, generator=generator)
    return (128 + 35 * phase.cos().sum(1, keepdim=True) + 30 * noise).round().clamp(0, 255).to(torch.uint8)


def mixed(symmetric: Make, breaking: Make, share: float) -> Make:
    """Images of one kind, a share of them of another."""

    def make(images: Tensor, generator: torch.Generator) -> Tensor:
        chosen = torch.rand(len(images), generator=generator) < share
        return torch.where(chosen[:, None, None, None], breaking(images, generator), symmetric(images, generator))

    return make


def branches(images: Tensor, generator: torch.Generator) -> Tensor:
    """Three walks up from the middle of the lowest row, a step to the left or the right in every second; with noise.

    Left and right are as likely; every other turn and flip moves the root.
    """
    count, walks = len(images), 3
    steps = torch.randint(2, (count, walks, SIDE // 2), generator=generator) * 2 - 1
    columns = (SIDE - 1) / 2 + steps.cumsum(2).repeat_interleave(2, 2).flip(2)  # (N, walks, rows)
    apart = torch.arange(SIDE)[None, None, None, :] - columns[..., None]
    drawn = (-(apart**2) / 2).exp().amax(1)[:, None]
    noise = torch.randn(count, 1, SIDE, SIDE, generator=generator)
    return (60 + 120 * drawn + 25 * noise).round().clamp(0, 255).to(torch.uint8)


def _cases(source: str) -> list[ImageCase]:
    square = ("turns", "flips")
    c4, d4 = frozenset(TURNS), frozenset((*TURNS, *FLIPS))
    mnist = source == "mnist"
    # Whether CIFAR-10 keeps its left-right flip nobody has planted; after quarter turns that is a matter of all flips.
    flip = frozenset() if mnist else frozenset({"flip columns"})
    flips = frozenset() if mnist else frozenset(FLIPS)
    return [
        ImageCase("upright", source, upright, (*square, "negative", *(() if mnist else ("colour",))), open=flip),
        ImageCase("quarter turns", source, random_elements(range(4)), square, c4, flips),
        ImageCase("flips", source, random_elements((0, 4)), square, frozenset({"flip columns"})),
        ImageCase("quarter turns and flips", source, random_elements(range(8)), square, d4),
        ImageCase("uniform angles", source, turned(180), square, c4 | frozenset(EIGHTHS), flips),
        ImageCase("angles within 45 degrees", source, turned(PARTIAL), square, open=flip),
        ImageCase("shifts", source, shifted, square, open=flip),
        ImageCase("negatives", source, negatives, (*square, "negative"), frozenset({"negative"}), flip),
    ]


#: In the order in which they are measured.
CASES = {
    f"{case.source}, {case.name}": case
    for case in [
        *_cases("mnist"),
        *_cases("cifar10"),
        ImageCase(
            "channel permutations",
            "cifar10",
            channels,
            ("turns", "flips", "colour"),
            frozenset(COLOURS),
            frozenset({"flip columns"}),
        ),
        ImageCase("half turns", "mnist", random_elements((0, 2)), ("turns", "flips"), frozenset({"turn 180"})),
        ImageCase("one hand", "spirals", spirals, ("turns", "flips"), frozenset(TURNS)),
        ImageCase("transpositions", "mnist", random_elements((0, 5)), ("turns", "flips"), frozenset({"transposition"})),
        ImageCase("slanting", "waves", waves, ("turns", "flips"), frozenset({"turn 180"})),
    ]
}


#: Image sets that were added after all rules had been fixed.
LATER = (
    ImageCase(
        "rectangles' group",
        "cifar10",
        random_elements((0, 2, 4, 6)),
        ("turns", "flips"),
        frozenset({"turn 180", "flip columns", "flip rows"}),
    ),
    ImageCase("upwards", "branches", branches, ("turns", "flips"), frozenset({"flip columns"})),
)


def images_of(case: ImageCase, count: int, seed: int) -> tuple[Tensor, Tensor]:
    """So many images, drawn and made by seed, and the labels of their source."""
    drawn = case.source not in lgn.data.NAMED_SETS  # made of nothing: the digits only say how many
    images, labels = source_images("mnist" if drawn else case.source)
    generator = lgn.data.generator_for(f"symmetry benchmark {case.source} {case.name}", seed)
    chosen = torch.randperm(len(images), generator=generator)[:count]
    return case.make(images[chosen], generator), labels[chosen]


@cache
def source_images(source: str) -> tuple[Tensor, Tensor]:
    """Train and test together."""
    both = lgn.data.load(source, download=False)
    assert both.train.labels is not None
    assert both.test.labels is not None
    return torch.cat([both.train.samples, both.test.samples]), torch.cat([both.train.labels, both.test.labels])
