"""Partial symmetries: how far samples are spread along a line, from how well distant versions are told apart."""

import math

from lgn.discovery.observers.observing import FamilyEvidence
from lgn.stats import LEVEL

#: A distance that is told apart better than this is more than half of the range.
FAR = 0.75

# Note [The range of a line]
# Samples that are shifted, turned or scaled by amounts spread evenly over a range W are told from themselves moved by
# t < W with an accuracy of 1/2 + t / 2 W at best: a move by t takes them out of the range at one end. So
# W = t / (2 accuracy - 1), and the largest distance within half of the range measures it best. An observer that sees
# less than it could reads a range that is too wide; samples that differ by themselves (the slant of handwriting) widen
# it too.


def spread(found: FamilyEvidence) -> float | None:
    """The width W of the range, in the unit of the family; None if these distances cannot measure it.

    They cannot if no distance is told apart beyond chance, or if the shortest is told apart too well. See Note [The
    range of a line].
    """
    within = [
        (one.parameter, reading)
        for one, reading in zip(found.family.transformations, found.readings, strict=True)
        if one.parameter is not None and reading.share < FAR
    ]
    if not within:
        return None
    distance, reading = max(within, key=lambda pair: pair[0])
    return distance / (2 * reading.share - 1) if reading.p_value() <= LEVEL else None


def range_note(found: FamilyEvidence, kind: str) -> str | None:
    """The range in either direction as a sentence, no further than the distances that were tried."""
    width, family = spread(found), found.family
    if family.group is not None or not family.range or width is None:
        return None
    parameters = [one.parameter or 0.0 for one in family.transformations]
    # A distance that is told apart well is outside of the range.
    outside = [distance for distance, reading in zip(parameters, found.readings, strict=True) if reading.share >= FAR]
    reach = min(width / 2, *outside, max(parameters))
    at_least = "at least " if not outside and width / 2 > max(parameters) else ""
    size = family.range.format(math.exp(reach) if family.logarithmic else reach)
    return f"{family.name}: the {kind} seem to be spread over {at_least}{size} in either direction."
