"""Isomorphisms of finite groups, by a search over the images of the generators."""

from collections.abc import Sequence

from lgn.groups.multiplication import Table, element_orders

Tree = Sequence[tuple[int, int, int]]  # (element, generator's place, earlier element)


def isomorphism(table: Table, generators: Sequence[int], tree: Tree, other: Table) -> tuple[int, ...] | None:
    """The element of `other` for each element such that products are kept, or None."""
    orders, theirs = element_orders(table), element_orders(other)
    if sorted(orders) != sorted(theirs):
        return None

    def extended(images: tuple[int, ...]) -> tuple[int, ...] | None:
        if len(images) == len(generators):
            return homomorphism(table, generators, tree, other, images)
        wanted = orders[generators[len(images)]]
        candidates = (g for g, order in enumerate(theirs) if order == wanted)
        return next((found for g in candidates if (found := extended((*images, g))) is not None), None)

    return extended(())


def homomorphism(
    table: Table, generators: Sequence[int], tree: Tree, other: Table, images: Sequence[int]
) -> tuple[int, ...] | None:
    """The isomorphism that maps the generators to given elements of `other`, or None."""
    mapped = [0] * len(table)
    for g, place, h in tree:
        mapped[g] = other[images[place]][mapped[h]]
    if len(set(mapped)) < len(table):
        return None
    kept = all(
        mapped[table[a][h]] == other[image][mapped[h]]
        for a, image in zip(generators, images, strict=True)
        for h in range(len(table))
    )
    return tuple(mapped) if kept else None
