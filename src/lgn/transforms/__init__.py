"""Known linear maps as matrices, what they are as group elements, and learning one from pairs of patches (sec. 5.2)."""

from lgn.transforms.axes import move_axes
from lgn.transforms.describe import Description, describe
from lgn.transforms.known import OPERATORS, catalogue, operator
from lgn.transforms.learn import Learned, closed_form, gradient_descent
from lgn.transforms.parse import parse_operator
from lgn.transforms.square import find
from lgn.transforms.transformation import AXES, Space, Transformation

__all__ = [
    "AXES",
    "OPERATORS",
    "Description",
    "Learned",
    "Space",
    "Transformation",
    "catalogue",
    "closed_form",
    "describe",
    "find",
    "gradient_descent",
    "move_axes",
    "operator",
    "parse_operator",
]
