"""The Cayley graph of a group as points in the plane and arrows."""

import math
from dataclasses import dataclass

from lgn.groups import Group


@dataclass(frozen=True)
class Cayley:
    """The elements as points, and for each generator a an arrow from every element g to `a g`."""

    name: str
    relations: tuple[str, ...]
    words: tuple[str, ...]
    places: tuple[tuple[float, float], ...]
    generators: tuple[str, ...]
    #: `arrows[i][g]` is the product of generator i and element g.
    arrows: tuple[tuple[int, ...], ...]


def cayley(group: Group) -> Cayley:
    """Concentric rings, one for each coset of the first generator, with the identity on the outer ring.

    A ring is rotated, and reversed if needed, so that the arrows of the other generators to earlier rings are short.
    """
    table = group.table.tolist()
    arrows = tuple(tuple(table[a]) for a in group.generator_elements)
    rings, place = 0, dict[int, tuple[int, float]]()
    for start in range(group.order):
        if start in place:
            continue
        ring = [start]
        while (following := arrows[0][ring[-1]]) != start:
            ring.append(following)
        step = 2 * math.pi / len(ring)
        # Positions on this ring with an arrow to an element that is placed, and the angle of that element.
        anchors = [(place[a[h]][1], i) for i, h in enumerate(ring) for a in arrows[1:] if a[h] in place]
        angle, first = anchors[0] if anchors else (math.pi / 2, 0)
        direction = 1.0
        if len(anchors) > 1 and anchors[1][1] != first:  # a reflection reverses the ring
            slope = (anchors[1][0] - angle) / (anchors[1][1] - first)
            direction = math.copysign(1.0, -math.sin(slope))
        for position, element in enumerate(ring):
            place[element] = (rings, angle - direction * step * (position - first))
        rings += 1
    polar = [(1 - 0.6 * ring / max(1, rings - 1), angle) for ring, angle in (place[g] for g in range(group.order))]
    places = tuple((radius * math.cos(angle), radius * math.sin(angle)) for radius, angle in polar)
    return Cayley(group.name, group.relations, group.words, places, group.generators, arrows)
