"""Finite groups as what layers, fits and names need of them: words, tables, relations, representations (sec. 3)."""

from lgn.groups.algebra import Algebra
from lgn.groups.choosing import as_group, chosen_group
from lgn.groups.closing import Closure, closure, from_matrices, from_permutations
from lgn.groups.group import Group, Subgroup
from lgn.groups.known import cyclic, dihedral, from_table, named, product, symmetric
from lgn.groups.relations import relation_error, relation_products

__all__ = [
    "Algebra",
    "Closure",
    "Group",
    "Subgroup",
    "as_group",
    "chosen_group",
    "closure",
    "cyclic",
    "dihedral",
    "from_matrices",
    "from_permutations",
    "from_table",
    "named",
    "product",
    "relation_error",
    "relation_products",
    "symmetric",
]
