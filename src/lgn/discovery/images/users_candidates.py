"""Families of the user's transformations and groups, which act on samples in their own units."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from lgn.apply import Action
from lgn.discovery.images.standardising import Standardised
from lgn.groups import Group, cyclic
from lgn.transforms import AXES, Family, Space, Transformation

#: The longest period that is recognised, and the number of samples on which it is.
LONGEST, TRIED = 12, 64


def users_families(candidates: Sequence[Transformation | Action], data: Standardised, space: Space) -> Iterator[Family]:
    """One family per candidate: the elements of a group, the powers of T, or x and T x if T has no period.

    space: the space of a matrix without a space.
    """
    for number, candidate in enumerate(candidates, 1):
        if isinstance(candidate, Action):
            elements = [_valid(element, data, space) for element in candidate.elements]
            yield _group_family(f"group {number}", candidate.group, elements, data)
        else:
            yield _of_transformation(_valid(candidate, data, space), data)


def _of_transformation(candidate: Transformation, data: Standardised) -> Family:
    samples, name = data.samples[:TRIED], candidate.name
    if torch.allclose(data.through(candidate, samples), samples, atol=1e-4):
        raise ValueError(f"candidates must change the samples, got {name!r}, which leaves them unchanged")
    order = candidate.order or _period(candidate, samples, data)
    if order is not None:
        powers = [candidate.power(0), candidate, *map(candidate.power, range(2, order))]
        return _group_family(name, cyclic(order), powers, data)

    def act(samples: Tensor, version: int) -> Tensor:
        return data.through(candidate, samples) if version else samples

    return Family(name, (replace(candidate, family=name, element=1),), act, act, (0, 1), scales=False)


def _group_family(name: str, group: Group, elements: Sequence[Transformation], data: Standardised) -> Family:
    known = [replace(elements[g], order=group.element_orders[g], family=name, element=g) for g in range(1, group.order)]

    def act(samples: Tensor, element: int) -> Tensor:
        return data.through(elements[element], samples) if element else samples

    versions = tuple(range(group.order))
    matrices = group.regular().double()
    return Family(name, tuple(known), act, act, versions, group, matrices=matrices, domain=name, scales=False)


def _period(candidate: Transformation, samples: Tensor, data: Standardised) -> int | None:
    """The smallest q with `T^q` equal to the identity on a few samples."""
    moved = samples
    for power in range(1, LONGEST + 1):
        moved = data.through(candidate, moved)
        if torch.allclose(moved, samples, atol=1e-4):
            return power
    return None


def _valid(candidate: Transformation, data: Standardised, space: Space) -> Transformation:
    """The transformation with its space, if it keeps the shape of all samples and returns finite numbers."""
    if (matrix := candidate.matrix) is not None:
        candidate, size = replace(candidate, space=candidate.space or space), math.prod(data.samples.shape[2:])
        if candidate.space in AXES and len(matrix) != size:
            given = f"{len(matrix)} rows for {candidate.name!r}"
            raise ValueError(f"candidates must have matrices ({size}, {size}), got {given}")
    for part in data.samples.split(1000):
        moved = data.through(candidate, part)
        if moved.shape != part.shape:
            given = f"{tuple(moved.shape)} from {candidate.name!r}"
            raise ValueError(f"candidates must return samples of the shape {tuple(part.shape)}, got {given}")
        if not torch.isfinite(moved).all():
            raise ValueError(f"candidates must return finite numbers, got NaN or infinity from {candidate.name!r}")
    return candidate
