"""Families that move or change pixels exactly: quarter turns, reflections, colour channels, negatives."""

from collections.abc import Iterable
from itertools import permutations

import torch
from torch import Tensor

from lgn.discovery.images.family import Family, of_group

#: The elements of the symmetries of a square, as `lgn.groups.dihedral(4)` counts them: r^j, then r^j s.
SQUARE = {
    1: "turn 90",
    2: "turn 180",
    3: "turn 270",
    4: "flip columns",
    5: "transposition",
    6: "flip rows",
    7: "antitransposition",
}
#: Those of a rectangle, `lgn.groups.dihedral(2)`.
RECTANGLE = {1: "turn 180", 2: "flip columns", 3: "flip rows"}
CHANNELS = ("red", "green", "blue")


def turns_and_flips(kinds: Iterable[str], height: int, width: int) -> Family:
    """The symmetries of a square, or of a rectangle: turns by quarters (half a turn), and reflections."""
    square = height == width
    wanted = {
        element: name
        for element, name in (SQUARE if square else RECTANGLE).items()
        if ("turns" if name.startswith("turn") else "flips") in kinds
    }
    if square and "flips" not in kinds:
        return of_group("turns", "C4", wanted, _turn)
    group = "D4" if square else "D2"
    return of_group("turns and flips", group, wanted, act_square if square else _act_rectangle)


def act_square(images: Tensor, element: int) -> Tensor:
    """Element j is a turn by j quarters, counter-clockwise; 4 + j first reverses the columns."""
    return _turn(images.flip(-1) if element >= 4 else images, element % 4)


def _act_rectangle(images: Tensor, element: int) -> Tensor:
    return _turn(images.flip(-1) if element >= 2 else images, 2 * (element % 2))


def _turn(images: Tensor, quarters: int) -> Tensor:
    return torch.rot90(images, quarters, (-2, -1))


def colour(channels: int) -> Family:
    """Permutations of three colour channels."""
    if channels != 3:
        raise ValueError(f"candidates 'colour' needs images of 3 channels, got {channels}")
    orders = list(permutations(range(3)))
    names = {}
    for element, order in enumerate(orders):
        moved = [i for i in range(3) if order[i] != i]
        if len(moved) == 2:
            names[element] = f"swap {CHANNELS[moved[0]]} and {CHANNELS[moved[1]]}"
        elif moved:
            names[element] = " to ".join(CHANNELS[i] for i in (0, order[0], order[order[0]]))
    backwards = [sorted(range(3), key=order.__getitem__) for order in orders]  # what arrives at each channel

    def act(images: Tensor, element: int) -> Tensor:
        return images[:, backwards[element]]

    return of_group("colour", "S3", names, act)


def negative(low: float, high: float, name: str = "negative") -> Family:
    """Bright for dark, between the lowest and the highest value that pixels can have; the sign where both are zero."""

    def act(images: Tensor, element: int) -> Tensor:
        return low + high - images if element else images

    return of_group(name, "C2", {1: name}, act)
