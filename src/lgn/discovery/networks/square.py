"""The group of the square: turns, flips and transpositions as elements, and the subgroup that was found."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache

import torch

from lgn.discovery.networks.candidates import SQUARE
from lgn.groups import Group, from_table

ELEMENTS = ("identity", *(each.name for each in SQUARE))


@dataclass(frozen=True)
class FoundGroup:
    """A group of transformations of the kernel: "C4", its order, and which they are, the identity first."""

    name: str
    order: int
    elements: tuple[str, ...]


TRIVIAL = FoundGroup("trivial", 1, ELEMENTS[:1])


@cache
def square_group() -> Group:
    """D4 with its elements in the order of `ELEMENTS`; of a product the right factor acts first."""
    marked = torch.arange(9).view(1, 1, 3, 3)
    images = [marked, *(each.power(marked, 1) for each in SQUARE)]
    place = {tuple(image.flatten().tolist()): number for number, image in enumerate(images)}
    rows = [[place[tuple(each.power(image, 1).flatten().tolist())] for image in images] for each in SQUARE]
    return from_table([list(range(len(images))), *rows])


def product(name: str, other: str) -> str:
    """The element that is `other` first, then `name`."""
    return ELEMENTS[int(square_group().table[ELEMENTS.index(name), ELEMENTS.index(other)])]


def powers_of(name: str) -> list[int]:
    """The places of `I, T, T^2, ...` among `ELEMENTS`, up to the period of T."""
    powers = [0]
    while (following := ELEMENTS.index(product(name, ELEMENTS[powers[-1]]))) != 0:
        powers.append(following)
    return powers


def generators_of(found: FoundGroup) -> tuple[str, ...]:
    """A few elements that generate the group."""
    subgroup = square_group().subgroup([ELEMENTS.index(name) for name in found.elements])
    own = subgroup.group()
    return tuple(ELEMENTS[subgroup.elements[element]] for element in own.generator_elements)


def largest_subgroup(
    sure: Collection[str], supported: Collection[str] = (), size: Mapping[str, float] | None = None
) -> FoundGroup:
    """The largest subgroup of the square's that the elements that are sure generate, with all others supported.

    Of two as large, that with the larger sizes.
    """
    allowed, certain = {*sure, *supported, ELEMENTS[0]}, {*sure, ELEMENTS[0]}
    found, best = TRIVIAL, (1, 0.0)
    for subgroup in square_group().subgroups():
        names = tuple(ELEMENTS[element] for element in sorted(subgroup.elements))
        generated = square_group().subgroup([ELEMENTS.index(name) for name in names if name in certain])
        if not allowed.issuperset(names) or generated.order != subgroup.order:
            continue
        weight = (subgroup.order, sum((size or {}).get(name, 0.0) for name in names))
        if weight > best:
            found, best = FoundGroup(subgroup.name, subgroup.order, names), weight
    return found
