"""Mirrors and turns of volumes: the symmetries of a cube and of a box."""

from collections.abc import Collection
from functools import cache

import torch
from torch import Tensor

from lgn import groups
from lgn.actions import signed_permutations
from lgn.transforms.family import Family, group_family
from lgn.transforms.transformation import Transformation

#: The symmetries of a cube: the turns permute its four diagonals, and the inversion commutes with them.
CUBE, BOX = "S4 x C2", "C2 x C2 x C2"


def turns_and_mirrors(kinds: Collection[str], sides: tuple[int, ...]) -> Family:
    """The 48 symmetries of a cube, or the eight of a box with different sides.

    "mirrors" are all symmetries that reverse space, "turns" are those that do not.
    """
    name = CUBE if len(set(sides)) == 1 else BOX
    places = elements(name)
    known = [
        symmetry_of_cube(signed, element=element)
        for element, signed in enumerate(places)
        if element and ("turns" if torch.linalg.det(signed) > 0 else "mirrors") in kinds
    ]
    known.sort(key=lambda one: list(_names()).index(one.name))
    return group_family(
        "turns and mirrors",
        groups.as_group(name),
        known,
        lambda volumes, element: move_axes(volumes, places[element]),
        matrices=places,
        domain="places",
    )


def move_axes(x: Tensor, signed: Tensor) -> Tensor:
    """What is at the place s comes to `S s`, places measured from the centre; S exchanges axes and signs.

    Products act one after the other, the right factor first.  (..., n, m), (axes, axes) -> (..., m, n) or the same
    """
    axes = len(signed)
    towards = signed.abs().argmax(0).tolist()  # the axis that each axis of x becomes
    order = [towards.index(axis) for axis in range(axes)]
    moved = x.permute(*range(x.ndim - axes), *(x.ndim - axes + axis for axis in order))
    turned = [axis - axes for axis in range(axes) if signed[axis].sum() < 0]
    return moved.flip(turned) if turned else moved


def symmetry_of_cube(signed: Tensor, element: int | None = None) -> Transformation:
    """The transformation of volumes that a signed permutation of the axes is."""
    name = next(name for name, known in _names().items() if torch.equal(known, signed))
    order = next(q for q in range(1, 7) if torch.equal(torch.linalg.matrix_power(signed, q), _SPACE))
    return Transformation(
        name,
        function=lambda volumes: move_axes(volumes, signed),
        space="volumes",
        order=order,
        family="turns and mirrors",
        element=element,
    )


def symmetries() -> list[Transformation]:
    """All symmetries of the cube but the identity."""
    return [symmetry_of_cube(signed) for signed in _names().values()]


@cache
def elements(group: str) -> Tensor:
    """The signed permutation of the axes for every element of a group.  -> (order, 3, 3)"""
    if group == BOX:
        signs = torch.tensor([1.0, -1.0], dtype=torch.float64)
        return torch.diag_embed(torch.cartesian_prod(signs, signs, signs))
    turns = [signed for signed in signed_permutations(3) if torch.linalg.det(signed) > 0]
    ordered = torch.stack(sorted(turns, key=_diagonals))  # as `symmetric(4)` counts them
    return torch.stack([ordered, -ordered], 1).flatten(0, 1)


@cache
def _names() -> dict[str, Tensor]:
    """All symmetries of the cube but the identity, with mirrors first, then turns about an axis.

    Those that are neither are named after the axis that each axis becomes, with its sign: "axes +2 -1 -3".
    """
    found = {f"mirror {axis}": _SPACE - 2 * torch.diag(_SPACE[axis - 1]) for axis in (1, 2, 3)}
    for axis in (1, 2, 3):
        for quarters in (1, 2, 3):
            found[f"turn {axis} {90 * quarters}"] = torch.linalg.matrix_power(quarter(axis), quarters)
    found["inversion"] = -_SPACE
    others = []
    for signed in signed_permutations(3)[1:]:
        if not any(torch.equal(signed, known) for known in found.values()):
            others.append(([int(column.abs().argmax() + 1) * int(column.sum()) for column in signed.T], signed))
    for axes, signed in sorted(others, key=lambda pair: pair[0]):
        found[f"axes {' '.join(f'{axis:+d}' for axis in axes)}"] = signed
    return found


_SPACE = torch.eye(3, dtype=torch.float64)
_DIAGONALS = torch.tensor([[1, 1, 1], [1, 1, -1], [1, -1, 1], [-1, 1, 1]], dtype=torch.float64)


def _diagonals(turn: Tensor) -> tuple[int, ...]:
    """The diagonal of the cube to which every diagonal is turned."""
    return tuple(int((_DIAGONALS @ (turn @ diagonal)).abs().argmax()) for diagonal in _DIAGONALS)


def quarter(axis: int) -> Tensor:
    """A quarter turn from the first of the other axes towards the second, as `torch.rot90` turns."""
    first, second = (other - 1 for other in (1, 2, 3) if other != axis)
    turn = torch.zeros(3, 3, dtype=torch.float64)
    turn[axis - 1, axis - 1], turn[second, first], turn[first, second] = 1, 1, -1
    return turn
