"""Families of volumes (N, C, D, H, W): mirrors, turns by quarters about each axis, and the group of all 48."""

from collections.abc import Iterable
from functools import lru_cache

import torch
from torch import Tensor

from lgn.actions import matrix_of, signed_permutations
from lgn.discovery.images.family import Family, of_group
from lgn.groups import as_group
from lgn.transforms import move_axes

#: What candidates of volumes may be called.
NAMES = ("turns", "mirrors")
#: The symmetries of a cube: the turns permute its four diagonals, and beside them is the inversion.
CUBE, BOX = "S4 x C2", "C2 x C2 x C2"


def turns_and_mirrors(kinds: Iterable[str], sides: tuple[int, ...]) -> Family:
    """The 48 symmetries of a cube; of a box of several sides the eight that reverse axes.

    "mirrors" are all that reverse space, "turns" those that do not. Those about an axis have its number in their name,
    those that are neither have in theirs the axis that each axis comes to, with its sign.
    """
    group = CUBE if len(set(sides)) == 1 else BOX
    known = elements(group)
    wanted = {
        element: name_of(signed)
        for element, signed in enumerate(known)
        if element and ("turns" if torch.linalg.det(signed) > 0 else "mirrors") in kinds
    }
    order = sorted(wanted, key=lambda element: _rank(wanted[element]))
    return of_group("turns and mirrors", group, {e: wanted[e] for e in order}, lambda x, e: move_axes(x, known[e]))


@lru_cache(maxsize=2)
def elements(group: str) -> Tensor:
    """What each element of the group does to places: signed permutations of the axes.  -> (order, 3, 3)"""
    if group == BOX:
        signs = torch.cartesian_prod(*[torch.tensor([1.0, -1.0], dtype=torch.float64)] * 3)
        return torch.diag_embed(signs)
    place = {name: number for number, name in enumerate(_diagonals_of(each) for each in _TURNS)}
    ordered = torch.stack([_TURNS[place[order]] for order in sorted(place)])  # as `symmetric(4)` counts them
    found = torch.stack([ordered, -ordered], 1).flatten(0, 1)
    assert len(found) == as_group(group).order
    return found


def name_of(signed: Tensor) -> str:
    """ "mirror 1", "turn 2 90", or the axes that the axes come to: "axes +2 -1 -3"."""
    axes = (1, 2, 3)
    for axis in axes:
        if torch.equal(signed, _SPACE - 2 * torch.diag(_SPACE[axis - 1])):
            return f"mirror {axis}"
        for quarters in (1, 2, 3):
            if torch.equal(signed, torch.linalg.matrix_power(_quarter(axis), quarters)):
                return f"turn {axis} {90 * quarters}"
    if torch.equal(signed, -_SPACE):
        return "inversion"
    to = [(int(column.abs().argmax()) + 1) * int(column.sum()) for column in signed.T]
    return f"axes {' '.join(f'{axis:+d}' for axis in to)}"


def of_name(name: str) -> Tensor:
    """The signed permutation of a name."""
    return next(signed for signed in signed_permutations(3) if name_of(signed) == name)


def on_patches(name: str, patch: tuple[int, ...]) -> Tensor:
    """As a matrix on patches.  (d, d)"""
    return matrix_of(lambda x: move_axes(x, of_name(name)), patch)


_SPACE = torch.eye(3, dtype=torch.float64)
_TURNS = torch.stack([each for each in signed_permutations(3) if torch.linalg.det(each) > 0])
_DIAGONALS = torch.tensor([[1, 1, 1], [1, 1, -1], [1, -1, 1], [-1, 1, 1]], dtype=torch.float64)


def _diagonals_of(turn: Tensor) -> tuple[int, ...]:
    """Which diagonal of the cube each of the four comes to."""
    return tuple((_DIAGONALS @ (turn @ each)).abs().argmax().item() for each in _DIAGONALS)


def _quarter(axis: int) -> Tensor:
    """From the first of the other axes towards the second, as `torch.rot90` turns."""
    first, second = (other - 1 for other in (1, 2, 3) if other != axis)
    turn = torch.zeros(3, 3, dtype=torch.float64)
    turn[axis - 1, axis - 1], turn[second, first], turn[first, second] = 1, 1, -1
    return turn


def _rank(name: str) -> tuple[int, list[int]]:
    """Mirrors first, then turns, by the numbers in their names."""
    kind, *numbers = name.split()
    return ("mirror", "turn", "inversion", "axes").index(kind), [int(number) for number in numbers]
