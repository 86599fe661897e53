"""Finite groups as what layers, fits and names need of them: words, tables, relations, representations (sec. 3)."""

from lgn.groups.closing import Closure, closure, from_matrices, from_permutations
from lgn.groups.group import Group, Subgroup
from lgn.groups.known import cyclic, dihedral, from_table, named, product, symmetric

__all__ = [
    "Closure",
    "Group",
    "Subgroup",
    "closure",
    "cyclic",
    "dihedral",
    "from_matrices",
    "from_permutations",
    "from_table",
    "named",
    "product",
    "symmetric",
]
