"""Finite groups (tables, words, relations, representations) and Lie algebras (sec. 3)."""

from lgn.groups.algebra import Algebra
from lgn.groups.closing import Closure, from_matrices, from_permutations
from lgn.groups.group import Element, Group
from lgn.groups.known import alternating, as_group, cyclic, dicyclic, dihedral, from_table, symmetric
from lgn.groups.relations import relation_error, relation_products
from lgn.groups.subgroup import Subgroup

__all__ = [
    "Algebra",
    "Closure",
    "Element",
    "Group",
    "Subgroup",
    "alternating",
    "as_group",
    "cyclic",
    "dicyclic",
    "dihedral",
    "from_matrices",
    "from_permutations",
    "from_table",
    "relation_error",
    "relation_products",
    "symmetric",
]
