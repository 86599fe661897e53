"""The Cayley graph of a group as places and arrows: what each generator makes of each element."""

import math
from dataclasses import dataclass

from lgn.groups import Group


@dataclass(frozen=True)
class Cayley:
    """Elements at places in the plane, and for each generator an arrow from every g to `a g`."""

    name: str
    relations: tuple[str, ...]
    words: tuple[str, ...]
    places: tuple[tuple[float, float], ...]
    generators: tuple[str, ...]
    #: For each generator, the element that it makes of each.
    arrows: tuple[tuple[int, ...], ...]


def cayley(group: Group) -> Cayley:
    """Rings of what the first generator makes of an element, the one of the identity outside, each turned to fit.

    A ring is drawn so that its elements face those of the ring before that another generator makes them of.
    """
    table = group.table.tolist()
    arrows = tuple(tuple(table[a]) for a in group.generator_elements)
    rings, place = list[list[int]](), dict[int, tuple[int, float]]()
    for g in range(group.order):
        if g in place:
            continue
        ring = [g]
        while (following := arrows[0][ring[-1]]) != g:
            ring.append(following)
        size = len(ring)
        # Where the others lead from here to rings that are placed: their angles, seen from the start of this ring.
        facing = [
            (place[arrow[h]][1], number) for number, h in enumerate(ring) for arrow in arrows[1:] if arrow[h] in place
        ]
        angle, number = facing[0] if facing else (math.pi / 2, 0)
        turning = 1.0
        if len(facing) > 1 and facing[1][1] != number:  # a reflection reverses a ring
            step = (facing[1][0] - angle) / (facing[1][1] - number)
            turning = math.copysign(1.0, -math.sin(step))
        for position, h in enumerate(ring):
            place[h] = (len(rings), angle - turning * 2 * math.pi * (position - number) / size)
        rings.append(ring)
    radius = [1 - 0.6 * number / max(1, len(rings) - 1) for number in range(len(rings))]
    rays = [(radius[ring], angle) for ring, angle in (place[g] for g in range(group.order))]
    places = tuple((ray * math.cos(angle), ray * math.sin(angle)) for ray, angle in rays)
    return Cayley(group.name, group.relations, group.words, places, group.generators, arrows)
