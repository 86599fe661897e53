"""Orders, subgroups and isomorphisms from a multiplication table; elements are numbers, the identity is 0."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product

Table = Sequence[Sequence[int]]
Tree = Sequence[tuple[int, int, int]]  # (element, generator's place, earlier element)
LIMIT = 120  # the largest order of a group by name: its table has the square of that many entries


def require_order(order: int) -> None:
    """Raise a ValueError if a group would have no elements or too many."""
    if not 1 <= order <= LIMIT:
        raise ValueError(f"group must have from 1 to {LIMIT} elements, got {order}")


def require_group(table: Table) -> None:
    """Raise a ValueError that names the broken law if the table is not that of a group with the identity first."""
    n = len(table)
    everything = list(range(n))
    if not n or any(sorted(row) != everything for row in table):
        raise ValueError(f"table must have all numbers from 0 to {n - 1} in every row")
    if any(table[0][g] != g or table[g][0] != g for g in everything):
        raise ValueError("table must have the identity as element 0")
    for a in everything:
        for b in everything:
            row, other = table[table[a][b]], table[a]
            if any(row[c] != other[table[b][c]] for c in everything):
                raise ValueError(f"table must be associative, got (g h) k != g (h k) for g = {a}, h = {b}")


def element_orders(table: Table) -> tuple[int, ...]:
    """The smallest q with `g^q = e`, for each element."""
    orders = []
    for g in range(len(table)):
        power, q = g, 1
        while power:
            power, q = table[power][g], q + 1
        orders.append(q)
    return tuple(orders)


def is_abelian(table: Table) -> bool:
    return all(table[a][b] == table[b][a] for a, b in combinations(range(len(table)), 2))


def generated(table: Table, elements: Iterable[int]) -> frozenset[int]:
    """The subgroup that elements generate."""
    steps = [g for g in dict.fromkeys(elements) if g]
    found, new = {0}, [0]
    while new:
        g = new.pop()
        for step in steps:
            h = table[step][g]
            if h not in found:
                found.add(h)
                new.append(h)
    return frozenset(found)


def subgroups(table: Table) -> tuple[frozenset[int], ...]:
    """All subgroups, the smallest first: the cyclic subgroups, joined with each other."""
    cyclic = {generated(table, [g]) for g in range(len(table))}
    found, new = set(cyclic), list(cyclic)
    while new:
        subgroup = new.pop()
        for other in cyclic:
            if not other <= subgroup:
                joined = generated(table, subgroup | other)
                if joined not in found:
                    found.add(joined)
                    new.append(joined)
    return tuple(sorted(found, key=lambda elements: (len(elements), sorted(elements))))


def is_normal(table: Table, elements: frozenset[int]) -> bool:
    """Whether the cosets `g H` and `H g` of the subgroup H are equal for every g."""
    return all({row[h] for h in elements} == {table[h][g] for h in elements} for g, row in enumerate(table))


def restricted(table: Table, elements: Sequence[int]) -> list[list[int]]:
    """The table of a subgroup whose elements are numbered in the given order."""
    place = {g: number for number, g in enumerate(elements)}
    return [[place[table[a][b]] for b in elements] for a in elements]


def generating_elements(table: Table) -> tuple[int, ...]:
    """The smallest set of elements that generates all, the first in order; empty for the trivial group."""
    n = len(table)
    for count in range(n):
        for elements in combinations(range(1, n), count):
            if len(generated(table, elements)) == n:
                return elements
    raise AssertionError("all elements generate the group")


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
