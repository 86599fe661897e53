"""The symmetries of a square and of a rectangle, as transformations of images: quarter turns and reflections."""

from functools import partial

import torch
from torch import Tensor

from lgn.transforms.transformation import Transformation

#: The names of the elements of D4 in the order of `lgn.groups.dihedral(4)`: r^j, then r^j s. Element 0 is the identity.
SQUARE = {
    1: "turn 90",
    2: "turn 180",
    3: "turn 270",
    4: "flip columns",
    5: "transposition",
    6: "flip rows",
    7: "antitransposition",
}
#: The names of the elements of D2 in the order of `lgn.groups.dihedral(2)`.
RECTANGLE = {1: "turn 180", 2: "flip columns", 3: "flip rows"}
PHRASES = {"turn 180": "a half turn", "flip columns": "a left-right flip", "flip rows": "an up-down flip"}


def act_square(images: Tensor, element: int) -> Tensor:
    """Element j is a turn by j quarters, counter-clockwise; 4 + j first reverses the columns."""
    return torch.rot90(images.flip(-1) if element >= 4 else images, element % 4, (-2, -1))


def symmetry_of_square(element: int) -> Transformation:
    """One of the seven symmetries of a square other than the identity."""
    name, order = SQUARE[element], 4 if element in (1, 3) else 2
    function = partial(act_square, element=element)
    return Transformation(name, function=function, space="images", order=order, phrase=PHRASES.get(name, ""))


def find(name: str, space: str | None = None) -> Transformation | None:
    """The transformation of the catalogue with this name, or None."""
    for element, known in SQUARE.items():
        if known == name and space in (None, "images"):
            return symmetry_of_square(element)
    return None
