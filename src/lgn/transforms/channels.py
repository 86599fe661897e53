"""Permutations of channels, named by their cycles."""

from functools import cache, partial
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
        known = [one for one in known if one.order == 2 and len(_moved(orders[one.element or 0])) == 2]
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
    period = next(q for q in range(1, 13) if _power(order, q) == tuple(range(len(order))))
    noun = "" if colours else "channels "
    return Transformation(
        cycles_text(order, names, noun),
        phrase=cycles_text(order, names, noun, exchange="the exchange of", cycle="the cycle of"),
        function=partial(permute_channels, order=order),
        space=space,
        order=period,
        family="channels",
        element=element,
    )


def permute_channels(samples: Tensor, order: tuple[int, ...]) -> Tensor:
    """Channel c becomes channel `order[c]`; further channels stay.  (N, C, ...) -> the same"""
    order = (*order, *range(len(order), samples.shape[1]))
    return samples[:, sorted(range(len(order)), key=order.__getitem__)]


@cache
def channel_names(space: Space) -> dict[str, tuple[int, ...]]:
    """Every permutation of 2 to 4 channels by its name."""
    found: dict[str, tuple[int, ...]] = {}
    for count in range(2, MOST_CHANNELS + 1):
        for order in list(permutations(range(count)))[1:]:
            found.setdefault(channel_permutation(order, space).name, order)
    return found


def cycles_text(
    order: tuple[int, ...], names: tuple[str, ...], noun: str, *, exchange: str = "exchange", cycle: str = "cycle"
) -> str:
    """ "exchange red and green", "cycle channels 1 2 3", "exchange channels 1 and 2, exchange channels 3 and 4"."""
    parts, seen = [], set[int]()
    for first in _moved(order):
        if first in seen:
            continue
        places = [first]
        while order[places[-1]] != first:
            places.append(order[places[-1]])
        seen.update(places)
        if len(places) == 2:
            parts.append(f"{exchange} {noun}{names[places[0]]} and {names[places[1]]}")
        else:
            parts.append(f"{cycle} {noun}{' '.join(names[channel] for channel in places)}")
    return ", ".join(parts)


def _moved(order: tuple[int, ...]) -> list[int]:
    return [channel for channel, place in enumerate(order) if place != channel]


def _power(order: tuple[int, ...], exponent: int) -> tuple[int, ...]:
    places = tuple(range(len(order)))
    for _ in range(exponent):
        places = tuple(order[place] for place in places)
    return places
