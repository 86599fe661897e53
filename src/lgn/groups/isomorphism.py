"""Isomorphisms of finite groups, by a search over the images of the generators."""

from collections.abc import Iterator, Sequence
from itertools import product

from lgn.groups.multiplication import Table, element_orders

Tree = Sequence[tuple[int, int, int]]  # (element, generator's place, earlier element)


def isomorphisms(table: Table, generators: Sequence[int], tree: Tree, other: Table) -> Iterator[tuple[int, ...]]:
    """All isomorphisms: the element of `other` for each element, such that products are kept."""
    orders, theirs = element_orders(table), element_orders(other)
    if sorted(orders) != sorted(theirs):
        return
    for images in product(*([g for g, order in enumerate(theirs) if order == orders[a]] for a in generators)):
        mapped = [0] * len(table)
        for g, place, h in tree:
            mapped[g] = other[images[place]][mapped[h]]
        pairs = list(zip(generators, images, strict=True))
        kept = (mapped[table[a][h]] == other[image][mapped[h]] for a, image in pairs for h in range(len(table)))
        if len(set(mapped)) == len(table) and all(kept):
            yield tuple(mapped)
