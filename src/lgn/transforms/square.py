"""Turns and flips of images: the symmetries of a square and of a rectangle, and turns by other angles."""

from collections.abc import Collection
from dataclasses import replace

import torch
from torch import Tensor

from lgn import groups
from lgn.transforms.family import Element, Family, group_family, rotations
from lgn.transforms.transformation import Transformation
from lgn.transforms.warps import disc, rotate

#: The names of the elements of D4 in the order of `lgn.groups.dihedral(4)`: r^j, then r^j s. Element 0 is the identity.
_NAMES = {
    1: ("turn 90", "a quarter turn"),
    2: ("turn 180", "a half turn"),
    3: ("turn 270", "a three-quarter turn"),
    4: ("flip columns", "a left-right flip"),
    5: ("transposition", "a transposition"),
    6: ("flip rows", "an up-down flip"),
    7: ("antitransposition", "an antitransposition"),
}
SQUARE = {element: name for element, (name, _) in _NAMES.items()}
#: The elements of D4 that a rectangle has, in the order of `lgn.groups.dihedral(2)`.
RECTANGLE = (0, 2, 4, 6)
#: The number of turns in the family of angles.
ANGLES = 8


def act_square(images: Tensor, element: int) -> Tensor:
    """Element j is a turn by j quarters, counter-clockwise; 4 + j first reverses the columns."""
    return torch.rot90(images.flip(-1) if element >= 4 else images, element % 4, (-2, -1))


def symmetry_of_square(element: int) -> Transformation:
    """One of the seven symmetries of a square other than the identity."""
    name, phrase = _NAMES[element]
    order = 4 if element in (1, 3) else 2
    known = Transformation(name, function=Element(act_square, element), space="images", order=order, phrase=phrase)
    return replace(known, family="turns and flips", element=element)


def turns_and_flips(kinds: Collection[str], height: int, width: int) -> Family:
    """The symmetries of a square, or of a rectangle: "turns" by quarters (or a half), and "flips"."""
    known = [symmetry_of_square(element) for element in SQUARE if ("turns" if element < 4 else "flips") in kinds]
    places, name = rotations(4, reflections=True), "turns and flips"
    if height != width:
        known = [replace(one, element=RECTANGLE.index(one.element)) for one in known if one.element in RECTANGLE]
        act, group, places = _act_rectangle, groups.dihedral(2), places[list(RECTANGLE)]
    elif "flips" in kinds:
        act, group = act_square, groups.dihedral(4)
    else:
        act, group, places, name = act_square, groups.cyclic(4), places[:4], "turns"
    return group_family(name, group, known, act, matrices=places, domain="places")


def angles() -> Family:
    """Turns by eighths; every version that is shown lies half a step off the grid, so that all are resampled alike."""

    def show(images: Tensor, element: int) -> Tensor:
        return disc(rotate(images, 360 / ANGLES * (element + 0.5), "bicubic"))

    known = [turn(360 / ANGLES * element, element=element) for element in range(1, ANGLES)]
    return group_family(
        "angles",
        groups.cyclic(ANGLES),
        known,
        act_angle,
        show=show,
        matrices=rotations(ANGLES, reflections=False),
        domain="places",
        limits=("SO(2)", "O(2)"),
        resampled=True,
        scales=False,
    )


def turn(degrees: float, element: int | None = None) -> Transformation:
    """A turn by any angle, counter-clockwise."""
    phrase = f"a turn by {degrees:g} degrees"
    function = Element(act_angle, degrees * ANGLES / 360)
    known = Transformation(f"turn {degrees:g}", function=function, space="images", phrase=phrase, parameter=degrees)
    return replace(known, element=element)


def find_turn(name: str) -> Transformation | None:
    """The turn with this name, "turn 45"."""
    kind, _, degrees = name.partition(" ")
    try:
        return turn(float(degrees)) if kind == "turn" else None
    except ValueError:
        return None


def act_angle(images: Tensor, eighths: float) -> Tensor:
    """A turn by eighths, reflected at the border: zeros in the corners of dark images would be grey wedges."""
    return rotate(images, 360 / ANGLES * eighths, "bicubic", "reflection")


def _act_rectangle(images: Tensor, element: int) -> Tensor:
    return act_square(images, RECTANGLE[element])
