"""The range of a partial symmetry: how far samples are spread along a line of shifts, turns or scales."""

import math

from lgn.discovery.observers.observing import FamilyEvidence
from lgn.stats import LEVEL

#: A distance that is told apart better than this is more than half of the range.
FAR = 0.75

# Note [The range of a line]
# Let samples be shifted, turned or scaled by amounts that are spread evenly over a range W. The best observer tells
# them from the same samples moved by t < W with the accuracy 1/2 + t / (2 W), because the move takes a share t / W of
# them out of the range at one end. So W = t / (2 accuracy - 1), and the largest distance within half of the range
# measures W best. The result is too wide if the observer is not the best one, or if the samples also differ by
# themselves (the slant of handwriting).


def range_width(found: FamilyEvidence) -> float | None:
    """The width W of the range in the unit of the family, or None. See Note [The range of a line].

    It is None if no distance is told apart beyond chance, or if even the shortest is told apart better than FAR.
    """
    within = [
        (transformation.parameter, accuracy)
        for transformation, accuracy in zip(found.family.transformations, found.accuracies, strict=True)
        if transformation.parameter is not None and accuracy.value < FAR
    ]
    if not within:
        return None
    distance, accuracy = max(within, key=lambda pair: pair[0])
    return distance / (2 * accuracy.value - 1) if accuracy.p_value() <= LEVEL else None


def range_note(found: FamilyEvidence, kind: str) -> str | None:
    """A sentence with the range in either direction, which does not go beyond the distances that were tried."""
    width, family = range_width(found), found.family
    if family.group is not None or not family.range or width is None:
        return None
    distances = [transformation.parameter or 0.0 for transformation in family.transformations]
    outside = [
        distance for distance, accuracy in zip(distances, found.accuracies, strict=True) if accuracy.value >= FAR
    ]
    reach = min(width / 2, *outside, max(distances))
    at_least = "at least " if not outside and width / 2 > max(distances) else ""
    size = family.range.format(math.exp(reach) if family.logarithmic else reach)
    return f"{family.name}: the {kind} seem to be spread over {at_least}{size} in either direction."
