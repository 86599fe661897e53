"""Transformations that may be symmetries, and operators as matrices (sec. 5.2)."""

from lgn.transforms.catalogue import CANDIDATES, DEFAULTS, families_of, find
from lgn.transforms.channels import channel_permutation
from lgn.transforms.cube import move_axes
from lgn.transforms.family import Family
from lgn.transforms.operator_matrix import operator, parse_operator
from lgn.transforms.patch_operators import NAMES, OPERATORS, catalogue, fits
from lgn.transforms.square import SQUARE, act_square, symmetry_of_square
from lgn.transforms.transformation import AXES, Space, Transformation

__all__ = [
    "AXES",
    "CANDIDATES",
    "DEFAULTS",
    "NAMES",
    "OPERATORS",
    "SQUARE",
    "Family",
    "Space",
    "Transformation",
    "act_square",
    "catalogue",
    "channel_permutation",
    "families_of",
    "find",
    "fits",
    "move_axes",
    "operator",
    "parse_operator",
    "symmetry_of_square",
]
