"""Groups and orbits of filters: the symmetries that hold together, and the filters that are copies of each other."""

import warnings
from collections.abc import Collection, Mapping

import torch
from torch import Tensor

from lgn.actions import matrix_of
from lgn.discovery.filters import fit_generator
from lgn.discovery.networks.copies import ALIKE
from lgn.discovery.networks.filter_bank import FilterBank
from lgn.discovery.networks.filter_maps import ELEMENTS, SQUARE_GROUP, exchanges_axes
from lgn.discovery.networks.gap import neighbours
from lgn.groups import Subgroup
from lgn.nn import UndeterminedWarning
from lgn.transforms import act_square, symmetry_of_square

#: The cosine that every pair of filters in an orbit must have.
LINKED = 0.7
#: The smallest gap between linked filters and the next filter, in nats, averaged over both directions.
STANDS_OUT = 0.3

#: The filters of an orbit by elements of the group of the square: filter `orbit[g]` is `g b`, up to sign, for a base b.
FilterOrbit = dict[int, int]


def largest_subgroup(
    found: Collection[int], supported: Collection[int] = (), weights: Mapping[int, float] | None = None
) -> Subgroup:
    """The largest subgroup of the group of the square that found elements generate.

    All its elements must be found or supported. Between subgroups of equal order, the larger sum of `weights` decides.
    """
    allowed = {0, *found, *supported}
    best, best_rank = SQUARE_GROUP.subgroup([]), (1, 0.0)
    for subgroup in SQUARE_GROUP.subgroups():
        generated = SQUARE_GROUP.subgroup([element for element in subgroup.elements if element in found])
        if allowed.issuperset(subgroup.elements) and generated == subgroup:
            rank = (subgroup.order, sum((weights or {}).get(element, 0.0) for element in subgroup.elements))
            if rank > best_rank:
                best, best_rank = subgroup, rank
    return best


def square_cosines(filters: Tensor) -> Tensor:
    """`K_g[i, j] = <g f_i, f_j>` for the group of the square; 0 if g exchanges the axes of a kernel that is not square.

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
    products = table[inverses[h][None, None, :], table[:, h][:, :, None]]  # h_j^-1 g h_i
    number = torch.arange(count)
    return cosines[products, number[:, None], number[None, :]]


def find_orbits(cosines: Tensor, group: Subgroup, *, stands_out: float = STANDS_OUT) -> list[FilterOrbit]:
    """The orbits of a group in a bank, the largest first; filters are merged into orbits along links.

    `g f_i` and `f_j` are linked if their cosine is at least 0.8, and if they are nearer than the next filter by
    `stands_out` nats. The nearest filters are linked first. A link merges two orbits if their elements differ, and if
    every pair of filters in the result has a cosine of at least 0.7.

    Shapes: (8, filters, filters), signed
    """
    table, inverses = SQUARE_GROUP.table.tolist(), SQUARE_GROUP.inverses.tolist()
    size = cosines.abs()
    orbits: dict[int, FilterOrbit] = {number: {0: number} for number in range(cosines.shape[1])}  # by base
    member = {number: (number, 0) for number in range(cosines.shape[1])}  # the base and the element of every filter
    for i, j, g in _links(size, group, stands_out):
        (base, a), (other, b) = member[i], member[j]
        if base == other:
            continue
        change = table[table[inverses[b]][g]][a]  # f_j = g f_i, so the other base is b^-1 g a of this base
        moved = {table[h][change]: number for h, number in orbits[other].items()}
        if moved.keys() & orbits[base].keys() or not _agree(size, orbits[base], moved):
            continue
        orbits[base] |= moved
        member.update({number: (base, h) for h, number in moved.items()})
        del orbits[other]
    return sorted((orbit for orbit in orbits.values() if len(orbit) > 1), key=len, reverse=True)


def pairs_of(orbits: Collection[FilterOrbit], element: int) -> list[tuple[int, int]]:
    """All pairs (i, j) of filters in an orbit for which f_j is the image of f_i under an element."""
    table = SQUARE_GROUP.table.tolist()
    return [(i, orbit[table[element][a]]) for orbit in orbits for a, i in orbit.items() if table[element][a] in orbit]


def fit_map(
    bank: FilterBank, cosines: Tensor, pairs: list[tuple[int, int]], element: int, seed: int
) -> tuple[float, float]:
    """The cosine of the fitted orthogonal map with the transformation of the pairs, and the p-value of the fit.

    The fit only knows the pairs (i, j), where filter j is a copy of filter i, and not the transformation. The p-value
    is that of `fit_generator`.

    Shapes: cosines of `T f_i` with `f_j`, (filters, filters)
    """
    first, second = (torch.tensor(side) for side in zip(*pairs, strict=True))
    signs = cosines[first, second].sign().view(-1, 1, 1, 1)
    stacked = torch.stack([bank.filters[first], signs * bank.filters[second]], 1).flatten(0, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndeterminedWarning)
        fit = fit_generator(stacked, group=2, method="procrustes", seed=seed)
    known = matrix_of(symmetry_of_square(element), bank.patch)
    # The fit is arbitrary outside of the directions that the pairs span.
    vectors = bank.filters[first].mT.flatten(2).flatten(0, 1).T  # (d, pairs * channels), columns stacked
    moved, expected = ((matrix @ vectors).flatten() for matrix in (fit.matrix, known))
    return float(torch.cosine_similarity(moved, expected, 0)), fit.p_value


def _links(size: Tensor, group: Subgroup, stands_out: float) -> list[tuple[int, int, int]]:
    """All links `(i, j, g)`, the nearest first."""
    links = []
    numbers = torch.arange(size.shape[1])
    for g in group.elements[1:]:
        forward, backward = (neighbours(size[h], size[0]) for h in (g, int(SQUARE_GROUP.inverses[g])))
        gaps = (forward.gaps[:, :1] + backward.gaps[:, 0]) / 2
        linked = (size[g] >= ALIKE) & (gaps >= stands_out)
        linked &= (forward.nearest[:, None] == numbers) | (backward.nearest == numbers[:, None])
        linked.fill_diagonal_(False)
        links += [(float(size[g, i, j]), int(i), int(j), g) for i, j in linked.nonzero()]
    return [link[1:] for link in sorted(links, reverse=True)]


def _agree(size: Tensor, orbit: FilterOrbit, other: FilterOrbit) -> bool:
    """Whether all pairs of filters of two orbits are near under the element that takes one filter to the other."""
    table, inverses = SQUARE_GROUP.table.tolist(), SQUARE_GROUP.inverses.tolist()
    return all(size[table[b][inverses[a]], i, j] >= LINKED for a, i in orbit.items() for b, j in other.items())
