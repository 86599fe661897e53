"""Orbits in a bank: filters that are each other's transformed copies, with the element that takes one to the next."""

from dataclasses import dataclass

import torch
from torch import Tensor

from lgn.discovery.networks.candidates import SQUARE
from lgn.discovery.networks.gap import landings
from lgn.discovery.networks.square import ELEMENTS, FoundGroup, square_group
from lgn.discovery.networks.twist import ALIKE

LINKED = 0.7  # that every pair of an orbit must have, where its links have more
STANDS_OUT = 0.3  # nats: how much nearer a link is than the next filter, on average over both directions


@dataclass(frozen=True)
class Orbit:
    """Filters `f_k = +- g_k b` of one base: their numbers, and the element that each is of the base, in order.

    The first element is the identity: the base is the first filter as it is.
    """

    filters: tuple[int, ...]
    elements: tuple[str, ...]
    #: Whether each is the negative of the copy.
    negative: tuple[bool, ...]
    #: The mean cosine of its pairs, up to sign.
    cosine: float


def place_cosines(filters: Tensor) -> Tensor:
    """`K_g[i, j] = <g f_i, f_j>` for the eight elements of the square's group; 0 for those that a kernel lacks.

    Shapes: (filters, channels, n, m) -> (8, filters, filters)
    """
    flat = filters.flatten(1)
    is_square = filters.shape[-2] == filters.shape[-1]
    moved = [each.power(filters, 1).flatten(1) if is_square or not each.swaps else 0 * flat for each in SQUARE]
    return torch.stack([flat, *moved]) @ flat.T


def turned_apart(cosines: Tensor, group: FoundGroup, generator: torch.Generator) -> Tensor:
    """The cosines of a bank whose filters are transformed each by itself: `K_g[i, j]` of `h_i f_i` and `h_j f_j`."""
    table, inverses = square_group().table, square_group().inverses
    elements = torch.tensor([ELEMENTS.index(name) for name in group.elements])
    count = cosines.shape[-1]
    h = elements[torch.randint(0, len(elements), (count,), generator=generator)]
    met = table[inverses[h][None, None, :], table[:, h][:, :, None]]  # h_j^-1 g h_i
    place = torch.arange(count)
    return cosines[met, place[:, None], place[None, :]]


def count_inside(orbits: list[Orbit]) -> int:
    """How many filters are in orbits."""
    return sum(len(orbit.filters) for orbit in orbits)


def find_orbits(cosines: Tensor, group: FoundGroup, *, stands_out: float = STANDS_OUT) -> list[Orbit]:
    """Orbits of a group in a bank, by merging the nearest copies first.

    A link is `g f_i` near `f_j`: of cosine 0.8, and nearer than the next filter by `stands_out` nats. Two orbits are
    merged along a link where no element is in both, and where every pair has a cosine of 0.7 under the elements that
    follow.

    Shapes: (8, filters, filters), signed.
    """
    table, inverses = square_group().table.tolist(), square_group().inverses.tolist()
    size = cosines.abs()
    orbits = {number: {0: number} for number in range(cosines.shape[1])}  # of each base: element -> filter
    home = {number: (number, 0) for number in range(cosines.shape[1])}  # of each filter: base, element
    for i, j, g in _links(size, group, inverses, stands_out):
        (base, mine), (other, theirs) = home[i], home[j]
        if base == other:
            continue
        # f_j = g f_i, so h b' = (h theirs^-1 g mine) b
        through = table[table[inverses[theirs]][g]][mine]
        moved = {table[h][through]: number for h, number in orbits[other].items()}
        whole = {**orbits[base], **moved}
        if len(whole) < len(orbits[base]) + len(moved) or not _agree(size, orbits[base], moved, table, inverses):
            continue
        orbits[base] = whole
        home.update({number: (base, h) for h, number in moved.items()})
        del orbits[other]
    found = [_orbit(members, cosines, table, inverses) for members in orbits.values() if len(members) > 1]
    return sorted(found, key=lambda orbit: (-len(orbit.filters), -orbit.cosine))


def _links(size: Tensor, group: FoundGroup, inverses: list[int], stands_out: float) -> list[tuple[int, int, int]]:
    """All links `(i, j, g)`, the nearest first."""
    links = []
    for g in (ELEMENTS.index(name) for name in group.elements[1:]):
        there, back = landings(size[g], size[0]), landings(size[inverses[g]], size[0])
        mutual = (there.first_gap[:, None] + back.first_gap[None, :]) / 2
        good = (size[g] >= ALIKE) & (mutual >= stands_out)
        good &= (there.nearest[:, None] == torch.arange(len(size[0]))) | (
            back.nearest[None, :] == torch.arange(len(size[0]))[:, None]
        )
        good.fill_diagonal_(False)
        links += [(float(size[g, i, j]), int(i), int(j), g) for i, j in good.nonzero()]
    return [link[1:] for link in sorted(links, reverse=True)]


def _agree(
    size: Tensor, some: dict[int, int], others: dict[int, int], table: list[list[int]], inverses: list[int]
) -> bool:
    return all(size[table[b][inverses[a]], i, j] >= LINKED for a, i in some.items() for b, j in others.items())


def _orbit(members: dict[int, int], cosines: Tensor, table: list[list[int]], inverses: list[int]) -> Orbit:
    """The orbit with its first filter as the base."""
    first = min(members, key=lambda h: members[h])
    numbers = sorted((table[h][inverses[first]], number) for h, number in members.items())
    base = members[first]
    pairs = [float(cosines[table[b][inverses[a]], i, j].abs()) for a, i in numbers for b, j in numbers if i != j]
    return Orbit(
        tuple(number for _, number in numbers),
        tuple(ELEMENTS[h] for h, _ in numbers),
        tuple(number != base and float(cosines[h, base, number]) < 0 for h, number in numbers),
        sum(pairs) / len(pairs),
    )
