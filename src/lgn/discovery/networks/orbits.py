"""Groups and orbits of filters: which symmetries hold together, and which filters are copies of which."""

from collections.abc import Collection, Mapping

import torch
from torch import Tensor

from lgn.discovery.networks.copies import ALIKE
from lgn.discovery.networks.gap import neighbours
from lgn.discovery.networks.questions import ELEMENTS, SQUARE_GROUP, exchanges_axes
from lgn.groups import Subgroup
from lgn.transforms import act_square

#: The cosine that every pair of filters in an orbit must have.
LINKED = 0.7
#: How much nearer linked filters are than the next filter, in nats, averaged over both directions.
STANDS_OUT = 0.3

#: The filters of an orbit by elements of the group of the square: filter `orbit[g]` is `g b`, up to sign, for one b.
FilterOrbit = dict[int, int]


def largest_subgroup(
    found: Collection[int], supported: Collection[int] = (), size: Mapping[int, float] | None = None
) -> Subgroup:
    """The largest subgroup of the square's group that found elements generate, and whose other elements have support.

    size: chooses between subgroups of equal order; the larger sum wins.
    """
    allowed = {0, *found, *supported}
    best, weight = SQUARE_GROUP.subgroup([]), (1, 0.0)
    for subgroup in SQUARE_GROUP.subgroups():
        generated = SQUARE_GROUP.subgroup([element for element in subgroup.elements if element in found])
        if allowed.issuperset(subgroup.elements) and generated == subgroup:
            own = (subgroup.order, sum((size or {}).get(element, 0.0) for element in subgroup.elements))
            if own > weight:
                best, weight = subgroup, own
    return best


def powers_of(element: int) -> list[int]:
    """The elements `I, T, T^2, ...` up to the order of T."""
    powers = [0]
    while (following := int(SQUARE_GROUP.table[element, powers[-1]])) != 0:
        powers.append(following)
    return powers


def square_cosines(filters: Tensor) -> Tensor:
    """`K_g[i, j] = <g f_i, f_j>` for the group of the square; 0 for elements that the kernel does not have.

    Shapes: (filters, channels, n, m) -> (8, filters, filters)
    """
    flat = filters.flatten(1)
    is_square = filters.shape[-2] == filters.shape[-1]
    moved = [
        act_square(filters, element).flatten(1) if is_square or not exchanges_axes(element) else 0 * flat
        for element in range(SQUARE_GROUP.order)
    ]
    return torch.stack(moved) @ flat.T


def moved_independently(cosines: Tensor, group: Subgroup, generator: torch.Generator) -> Tensor:
    """The cosines `K_g[i, j]` of `h_i f_i` and `h_j f_j`, where the elements h_i of the group are random."""
    table, inverses = SQUARE_GROUP.table, SQUARE_GROUP.inverses
    elements = torch.tensor([element for element in ELEMENTS if element in group.elements])
    count = cosines.shape[-1]
    h = elements[torch.randint(0, len(elements), (count,), generator=generator)]
    met = table[inverses[h][None, None, :], table[:, h][:, :, None]]  # h_j^-1 g h_i
    place = torch.arange(count)
    return cosines[met, place[:, None], place[None, :]]


def find_orbits(cosines: Tensor, group: Subgroup, *, stands_out: float = STANDS_OUT) -> list[FilterOrbit]:
    """The orbits of a group in a bank, the largest first, by merging the nearest copies first.

    `g f_i` and `f_j` are linked if their cosine is at least 0.8, and if they are nearer than the next filter by
    `stands_out` nats. Two orbits are merged along a link if they have no element in common, and if every pair of
    filters then has a cosine of at least 0.7.

    Shapes: (8, filters, filters), signed
    """
    table, inverses = SQUARE_GROUP.table.tolist(), SQUARE_GROUP.inverses.tolist()
    size = cosines.abs()
    orbits: dict[int, FilterOrbit] = {number: {0: number} for number in range(cosines.shape[1])}  # by base
    home = {number: (number, 0) for number in range(cosines.shape[1])}  # the base and the element of each filter
    for i, j, g in _links(size, group, stands_out):
        (base, mine), (other, theirs) = home[i], home[j]
        if base == other:
            continue
        through = table[table[inverses[theirs]][g]][mine]  # f_j = g f_i, so h b' = (h theirs^-1 g mine) b
        moved = {table[h][through]: number for h, number in orbits[other].items()}
        if moved.keys() & orbits[base].keys() or not _agree(size, orbits[base], moved):
            continue
        orbits[base] |= moved
        home.update({number: (base, h) for h, number in moved.items()})
        del orbits[other]
    return sorted((orbit for orbit in orbits.values() if len(orbit) > 1), key=len, reverse=True)


def pairs_of(orbits: Collection[FilterOrbit], element: int) -> list[tuple[int, int]]:
    """All pairs (i, j) of filters in an orbit for which f_j is the image of f_i under an element."""
    table = SQUARE_GROUP.table.tolist()
    return [(i, orbit[table[element][a]]) for orbit in orbits for a, i in orbit.items() if table[element][a] in orbit]


def _links(size: Tensor, group: Subgroup, stands_out: float) -> list[tuple[int, int, int]]:
    """All links `(i, j, g)`, the nearest first."""
    links = []
    here = torch.arange(size.shape[1])
    for g in group.elements[1:]:
        there, back = (neighbours(size[h], size[0]) for h in (g, int(SQUARE_GROUP.inverses[g])))
        mutual = (there.gaps[:, :1] + back.gaps[:, 0]) / 2
        good = (size[g] >= ALIKE) & (mutual >= stands_out)
        good &= (there.nearest[:, None] == here) | (back.nearest == here[:, None])
        good.fill_diagonal_(False)
        links += [(float(size[g, i, j]), int(i), int(j), g) for i, j in good.nonzero()]
    return [link[1:] for link in sorted(links, reverse=True)]


def _agree(size: Tensor, orbit: FilterOrbit, other: FilterOrbit) -> bool:
    """Whether every pair of filters of two orbits is near under the element that takes one to the other."""
    table, inverses = SQUARE_GROUP.table.tolist(), SQUARE_GROUP.inverses.tolist()
    return all(size[table[b][inverses[a]], i, j] >= LINKED for a, i in orbit.items() for b, j in other.items())
