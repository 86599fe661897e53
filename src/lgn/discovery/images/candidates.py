"""From the names of candidates to families that fit the images."""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from lgn.actions import act as act_on_patches
from lgn.discovery.images import exact, resampled, signals, volumes
from lgn.discovery.images.family import Candidate, Family, of_group

#: What candidates of images may be called.
NAMES = (
    "turns",
    "flips",
    "angles",
    "tilts",
    "shifts",
    "scalings",
    "stretches",
    "shears",
    "colour",
    "negative",
    "brightness",
    "contrast",
    "unknown",
)
#: Those of signals and volumes too.
ALL_NAMES = tuple(dict.fromkeys([*NAMES, *signals.NAMES, *volumes.NAMES]))
Own = tuple[str, Callable[[Tensor], Tensor] | Tensor]
#: The longest period of a transformation of one's own that is looked for.
LONGEST = 12


def usual(images: Tensor) -> tuple[str, ...]:
    """What is asked where nothing else is said."""
    return {3: signals.USUAL, 4: ("turns", "flips"), 5: volumes.NAMES}[images.ndim]


def families_of(candidates: Sequence[str | Own], images: Tensor, origin: float = 0.0) -> tuple[Family, ...]:
    """One family for all turns and flips by quarters, one each for the others; "unknown" ones are not made here.

    images: a few, as they will be shown; signals and volumes have candidates of their own. origin: where zero is.
    """
    allowed = {3: signals.NAMES, 4: NAMES, 5: volumes.NAMES}[images.ndim]
    names = [each for each in candidates if isinstance(each, str)]
    if unknown := [name for name in names if name not in allowed]:
        what = ", ".join(allowed)
        raise ValueError(f"candidates must be of {what}, or (name, function or matrix), got {unknown[0]!r}")
    if not candidates:
        raise ValueError(f"candidates must name at least one of {', '.join(allowed)}, got none")
    found: list[Family] = []
    if images.ndim == 3:
        found = signals.families(names, images, origin)
    elif images.ndim == 5:
        found = [volumes.turns_and_mirrors(names, tuple(images.shape[2:]))] if names else []
    else:
        found = _of_images(names, images)
    return (*found, *(of_own(each, images) for each in candidates if not isinstance(each, str)))


def _of_images(names: list[str], images: Tensor) -> list[Family]:
    channels, height, width = images.shape[1:]
    found: list[Family] = []
    if {"turns", "flips"} & set(names):
        found.append(exact.turns_and_flips(names, height, width))
    if "angles" in names:
        if height != width:
            raise ValueError(f"candidates 'angles' needs square images, got {height}x{width}")
        found.append(resampled.angles())
    if "colour" in names:
        found.append(exact.colour(channels))
    if "negative" in names:
        found.append(exact.negative(float(images.min()), float(images.max())))
    if "shifts" in names:
        if min(height, width) < 12:
            raise ValueError(f"candidates 'shifts' needs images of at least 12x12, got {height}x{width}")
        found += [resampled.shifts("right"), resampled.shifts("down")]
    for name in ("tilts", "scalings", "stretches", "shears", "brightness", "contrast"):
        if name in names:
            found.append(getattr(resampled, name)())
    return found


def of_own(given: Own, images: Tensor) -> Family:
    """A transformation of one's own, a function of images (N, C, H, W) or a matrix on vec(X): with its powers, if some
    power is the identity on these images, else as it is, x beside T x."""
    name, what = given
    function = _from_matrix(name, what, images) if isinstance(what, Tensor) else what
    moved = function(images)
    if not isinstance(moved, Tensor) or moved.shape != images.shape:
        got = tuple(moved.shape) if isinstance(moved, Tensor) else type(moved).__name__
        raise ValueError(f"candidate {name!r} must return images of the shape {tuple(images.shape)}, got {got}")
    if torch.allclose(moved, images, atol=1e-4):
        raise ValueError(f"candidate {name!r} must change the images, and leaves them as they are")

    def act(some: Tensor, power: int) -> Tensor:
        for _ in range(power):
            some = function(some)
        return some

    for order in range(2, LONGEST + 1):
        moved = function(moved)
        if torch.allclose(moved, images, atol=1e-4):
            names = {power: name if power == 1 else f"{name}, {power} times" for power in range(1, order)}
            return of_group(name, f"C{order}", names, act, scales=False)
    return Family(name, 2, (Candidate(name, ((0, 1),)),), act, act, scales=False)


def _from_matrix(name: str, matrix: Tensor, images: Tensor) -> Callable[[Tensor], Tensor]:
    axes = images.ndim - 2
    pixels = math.prod(images.shape[2:])
    if tuple(matrix.shape) != (pixels, pixels):
        raise ValueError(f"candidate {name!r} must be a matrix ({pixels}, {pixels}), got {tuple(matrix.shape)}")
    return lambda some: act_on_patches(matrix.to(some.dtype), some, axes)
