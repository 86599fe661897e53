"""The catalogue: every family of transformations by the names of candidates, and every transformation by its name."""

import math
from collections.abc import Callable, Collection, Iterator
from functools import cache, partial

import torch
from torch import Tensor

from lgn import groups
from lgn.transforms import channels, cube, square
from lgn.transforms.family import Element, Family, group_family, rotations
from lgn.transforms.lines import LINES, PART
from lgn.transforms.transformation import Transformation

#: The names of candidates, by the kind of data.
CANDIDATES: dict[str, tuple[str, ...]] = {
    "images": (
        *("turns", "flips", "angles", "tilts", "shifts", "scalings", "stretches", "shears"),
        *("colour", "negative", "brightness", "contrast"),
    ),
    "signals": ("reversal", "sign", "shift", "shifts", "stretches", "gain", "channels"),
    "volumes": ("turns", "mirrors"),
}
#: The candidates that are asked about by default.
DEFAULTS: dict[str, tuple[str, ...]] = {
    "images": ("turns", "flips"),
    "signals": ("reversal", "sign", "shift"),
    "volumes": ("turns", "mirrors"),
}
#: The number of parts into which cyclic shifts divide a signal.
PARTS = 8


def families_of(names: Collection[str], kind: str, samples: Tensor, zero: float = 0.0) -> tuple[Family, ...]:
    """The families of candidates that fit the samples: one for turns and flips by quarters, otherwise one per name.

    zero: the value that zero has after the samples were standardised.

    Shapes: (N, C, ...), a few samples
    """
    allowed = ", ".join(CANDIDATES[kind])
    if not names:
        raise ValueError(f"candidates must be at least one of {allowed} for {kind}, got none")
    if unknown := [name for name in names if name not in CANDIDATES[kind]]:
        raise ValueError(f"candidates must be among {allowed} for {kind}, got {unknown[0]!r}")
    exact = {"images": _of_images, "signals": _of_signals, "volumes": _of_volumes}[kind]
    found = list(exact(names, samples, zero))
    for line in LINES:
        if line.space == kind and line.candidate in names:
            if (size := min(samples.shape[2:])) < line.smallest:
                least = f"{line.smallest} for the candidate {line.candidate!r}"
                raise ValueError(f"samples must have sides of at least {least}, got {size}")
            step = max(size // PART, 1) if kind == "signals" and line.whole else 1
            found.append(line.versions(step, zero))
    return tuple(found)


def find(name: str, space: str | None = None, parameter: float | None = None) -> Transformation | None:
    """The transformation of the catalogue with this name, or None; "A then B" is first A, then B.

    parameter: the exact value for a name that holds a rounded one.
    """
    first, _, rest = name.partition(" then ")
    if rest:
        one, other = find(first, space), find(rest, space)
        return None if one is None or other is None else one.then(other)
    for known in CANDIDATES if space is None else [space]:
        if known == "images" and name == "negative":
            return negative(parameter)
        if (found := _by_name(known).get(name)) is not None:
            return found
        if known == "images" and (found := square.find_turn(name)) is not None:
            return found
        for line in LINES:
            if line.space == known and (found := line.find(name)) is not None:
                return found if parameter is None else line.transformation(parameter)
    return None


@cache
def _by_name(space: str) -> dict[str, Transformation]:
    """The transformations of a space that have no parameter, by name."""
    found: list[Transformation] = []
    if space == "images":
        found = [*map(square.symmetry_of_square, square.SQUARE), *channels.permutations_of("images")]
    if space == "signals":
        found = [reversal(), sign(), *map(ring_shift, range(1, PARTS)), *channels.permutations_of("signals")]
    if space == "volumes":
        found = cube.symmetries()
    return {one.name: one for one in reversed(found)}  # of permutations with one name, that of the fewest channels


def negative(total: float | None = None) -> Transformation:
    """Bright for dark: `total - x`, by default 1 - x, or 255 - x for whole numbers."""
    function = partial(_negative, total=total)
    return Transformation("negative", None, function, "images", 2, "the negative", total, "negative", 1)


def sign() -> Transformation:
    """`x -> -x`."""
    return Transformation("sign", None, torch.neg, "signals", 2, "a change of sign", None, "sign", 1)


def reversal() -> Transformation:
    """Backwards in time."""
    return Transformation("reversal", None, partial(torch.flip, dims=(-1,)), "signals", 2, "a reversal", None, "", 1)


def ring_shift(eighths: int = 1) -> Transformation:
    """A cyclic shift by eighths of a signal, to the nearest value."""
    phrase = f"cyclic shift by {eighths}/{PARTS}"
    return Transformation(
        f"shift {eighths}/{PARTS}",
        function=Element(_round_the_ring, eighths),
        space="signals",
        order=PARTS // math.gcd(PARTS, eighths),
        phrase=f"a {phrase}",
        family="shift",
        element=eighths,
    )


def _of_images(names: Collection[str], images: Tensor, _: float) -> Iterator[Family]:
    count, height, width = images.shape[1:]
    if "turns" in names or "flips" in names:
        yield square.turns_and_flips(names, height, width)
    if "angles" in names:
        if height != width:
            raise ValueError(f"images must be square for the candidate 'angles', got {height}x{width}")
        yield square.angles()
    if "colour" in names:
        if count != 3:
            raise ValueError(f"images must have 3 channels for the candidate 'colour', got {count}")
        yield channels.channel_family("colour", count, "images")
    if "negative" in names:
        total = float(images.min()) + float(images.max())
        yield _two_versions("negative", negative(), lambda x: total - x, "values")


def _of_signals(names: Collection[str], signals: Tensor, zero: float) -> Iterator[Family]:
    count, length = signals.shape[1:]
    if "reversal" in names:
        yield _two_versions("reversal", reversal(), reversal(), "places")
    if "sign" in names:
        yield _two_versions("sign", sign(), lambda x: 2 * zero - x, "values")
    if "shift" in names:
        if length < PARTS:
            raise ValueError(f"signals must have at least {PARTS} values for the candidate 'shift', got {length}")
        places = rotations(PARTS, reflections=False)
        options = {"matrices": places, "domain": "places", "scales": False}
        yield group_family("shift", groups.cyclic(PARTS), [ring_shift()], _round_the_ring, **options)
    if "channels" in names:
        if not 2 <= count <= channels.MOST_CHANNELS:
            raise ValueError(f"signals must have 2 to 4 channels for the candidate 'channels', got {count}")
        yield channels.channel_family("channels", count, "signals")


def _of_volumes(names: Collection[str], volumes: Tensor, _: float) -> Iterator[Family]:
    yield cube.turns_and_mirrors(names, tuple(volumes.shape[2:]))


def _two_versions(name: str, known: Transformation, function: Callable[[Tensor], Tensor], domain: str) -> Family:
    """A sample and its image; on places a reflection, on values a change of sign."""
    axes = torch.tensor([1.0, -1.0] if domain == "places" else [-1.0], dtype=torch.float64)
    matrices = torch.stack([torch.eye(len(axes), dtype=torch.float64), torch.diag(axes)])

    def act(samples: Tensor, element: int) -> Tensor:
        return function(samples) if element else samples

    return group_family(name, groups.cyclic(2), [known], act, matrices=matrices, domain=domain)


def _negative(images: Tensor, total: float | None) -> Tensor:
    if total is None:
        total = 1.0 if images.is_floating_point() else 255
    return total - images


def _round_the_ring(signals: Tensor, eighths: int) -> Tensor:
    return signals.roll(round(eighths * signals.shape[-1] / PARTS), -1)
