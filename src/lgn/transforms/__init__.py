"""Transformations that may be symmetries, operators as matrices, and learning one from pairs of patches (sec. 5.2)."""

from lgn.transforms.axes import move_axes
from lgn.transforms.catalogue import CANDIDATES, DEFAULTS, families_of, find
from lgn.transforms.channels import channel_permutation
from lgn.transforms.describe import Description, describe
from lgn.transforms.family import Family
from lgn.transforms.learn import Learned, closed_form, gradient_descent
from lgn.transforms.operators import NAMES, OPERATORS, catalogue, fits, operator, parse_operator
from lgn.transforms.square import SQUARE, act_square, symmetry_of_square
from lgn.transforms.transformation import AXES, Space, Transformation

__all__ = [
    "AXES",
    "CANDIDATES",
    "DEFAULTS",
    "NAMES",
    "OPERATORS",
    "SQUARE",
    "Description",
    "Family",
    "Learned",
    "Space",
    "Transformation",
    "act_square",
    "catalogue",
    "channel_permutation",
    "closed_form",
    "describe",
    "families_of",
    "find",
    "fits",
    "gradient_descent",
    "move_axes",
    "operator",
    "parse_operator",
    "symmetry_of_square",
]
