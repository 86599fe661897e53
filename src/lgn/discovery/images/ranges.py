"""Partial symmetry: how far along a line images are spread, from how well versions at a distance are told apart."""

import math
from collections.abc import Sequence

from lgn.discovery.images.family import Candidate
from lgn.discovery.images.statistic import Reading

#: Beyond this share a distance is more than half of the range.
FAR = 0.75
LEVEL = 0.01

# Note [The range of a line]
# Images that are shifted, turned or scaled by amounts spread evenly over a range W are told from themselves moved by t,
# t < W, with 1/2 + t / 2 W at best: what a move of t brings out of the range at one end. So W = t / (2 share - 1), and
# the farthest distance within half of the range says it best. An observer that sees less than can be seen reads a range
# that is too wide; images that differ by themselves (the slant of handwriting) widen it too.


def spread(candidates: Sequence[Candidate], readings: Sequence[Reading]) -> float | None:
    """The width W of the range, in the unit of the family; None where there is none that these distances can measure.

    That is where no distance is told beyond chance (it is wider than can be seen), or the shortest too well. See Note
    [The range of a line].
    """
    within = [
        (candidate.parameter, reading)
        for candidate, reading in zip(candidates, readings, strict=True)
        if candidate.parameter is not None and reading.share < FAR
    ]
    if not within:
        return None
    distance, reading = max(within, key=lambda each: each[0])
    return distance / (2 * reading.share - 1) if reading.p_value() <= LEVEL else None


def within(family: str, width: float) -> str:
    """The range in words, either way of its middle."""
    half = width / 2
    if family == "tilts":
        return f"turns within {half:.0f} degrees"
    if family == "shifts later":
        return f"{family} within {half:.1f} values"
    if family.startswith("shifts"):
        return f"{family} within {half:.1f} pixels"
    if family in ("scalings", "stretches", "contrast", "gain"):
        return f"{family} within a factor of {math.exp(half):.2f}"
    return f"{family} within {half:.2f}"
