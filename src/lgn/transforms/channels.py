"""Permutations of channels, named by their cycles."""

import math
from functools import partial
from itertools import permutations

import torch
from torch import Tensor

from lgn import groups
from lgn.transforms.family import Family, group_family
from lgn.transforms.transformation import Space, Transformation

COLOURS = ("red", "green", "blue")
#: The largest number of channels whose permutations are candidates.
MOST_CHANNELS = 4


def channel_family(name: str, channels: int, space: Space) -> Family:
    """All permutations of channels; for signals, only exchanges of two channels are transformations."""
    orders = list(permutations(range(channels)))
    known = [channel_permutation(order, space, element=g) for g, order in enumerate(orders) if g]
    if space == "signals":
        known = [one for one in known if [len(cycle) for cycle in cycles(orders[one.element or 0])] == [2]]
    eye = torch.eye(channels, dtype=torch.float64)
    return group_family(
        name,
        groups.symmetric(channels),
        known,
        lambda samples, element: permute_channels(samples, orders[element]),
        matrices=torch.stack([eye[:, list(order)] for order in orders]),
        domain="channels",
    )


def channel_permutation(order: tuple[int, ...], space: Space = "images", element: int | None = None) -> Transformation:
    """Channel c becomes channel `order[c]`. Three channels of images are red, green and blue."""
    colours = space == "images" and len(order) == 3
    names = COLOURS if colours else tuple(str(channel + 1) for channel in range(len(order)))
    noun = "" if colours else "channels "
    return Transformation(
        cycles_text(order, names, noun),
        phrase=cycles_text(order, names, noun, exchange="the exchange of", cycle="the cycle of"),
        function=partial(permute_channels, order=order),
        space=space,
        order=math.lcm(*map(len, cycles(order))),
        family="channels",
        element=element,
    )


def permute_channels(samples: Tensor, order: tuple[int, ...]) -> Tensor:
    """Channel c becomes channel `order[c]`; further channels stay.  (N, C, ...) -> the same"""
    order = (*order, *range(len(order), samples.shape[1]))
    return samples[:, sorted(range(len(order)), key=order.__getitem__)]


def permutations_of(space: Space) -> list[Transformation]:
    """Every permutation of 2 to 4 channels but the identity."""
    orders = [order for count in range(2, MOST_CHANNELS + 1) for order in list(permutations(range(count)))[1:]]
    return [channel_permutation(order, space) for order in orders]


def cycles_text(
    order: tuple[int, ...], names: tuple[str, ...], noun: str, *, exchange: str = "exchange", cycle: str = "cycle"
) -> str:
    """ "exchange red and green", "cycle channels 1 2 3", "exchange channels 1 and 2, exchange channels 3 and 4"."""
    parts = []
    for places in cycles(order):
        moved = [names[place] for place in places]
        verb, joint = (exchange, " and ") if len(moved) == 2 else (cycle, " ")
        parts.append(f"{verb} {noun}{joint.join(moved)}")
    return ", ".join(parts)


def cycles(order: tuple[int, ...]) -> list[list[int]]:
    """The cycles of a permutation, without the places that stay."""
    found, seen = list[list[int]](), set[int]()
    for first, place in enumerate(order):
        if place != first and first not in seen:
            places = [first]
            while order[places[-1]] != first:
                places.append(order[places[-1]])
            seen.update(places)
            found.append(places)
    return found
