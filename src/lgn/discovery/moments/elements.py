"""From solutions to elements: judged on the other half, found again there, polished on all samples, and named."""

import math
from collections.abc import Callable, Sequence

from torch import Tensor

from lgn.discovery.moments.judge import LEVEL, Judgement, judge
from lgn.discovery.moments.naming import name_element
from lgn.discovery.moments.prepare import Grid
from lgn.discovery.moments.result import Element
from lgn.discovery.moments.significance import Blocks
from lgn.discovery.moments.view import Classes, View, permuted
from lgn.discovery.moments.whitening import Frame
from lgn.operators import nearest_period

REPEATED = 0.1  # relative error by the two halves up to which a map is known
UNDECIDED = 5  # elements shown that are not decided: the most likely
PERIODIC = 0.35  # relative distance of a power to the identity

def judged(
    solutions: Sequence[tuple[Tensor, Classes | None]],
    frame: Frame,
    blocks: Blocks,
    again: Callable[[], View],
    final: View,
    grid: Grid | None,
) -> tuple[Element, ...]:
    """Every solution as an element with its verdict, kept ones first; what is broken is left out.

    again: how the samples that judge look in a whitening of their own, asked for where there is something to find again.
    """
    verdicts = [
        (inner, classes, judge(inner, blocks, LEVEL / len(solutions), _target(blocks, classes)))
        for inner, classes in solutions
    ]
    kept, undecided = ([each for each in verdicts if each[2].verdict == word] for word in ("kept", "undecided"))
    left = [*kept, *sorted(undecided, key=lambda each: each[2].share)[:UNDECIDED]]
    if not left:
        return ()
    seen = again()
    elements = [_element(*each, frame, seen, final, grid) for each in left]
    return tuple(sorted(elements, key=lambda each: (each.verdict != "kept", each.share)))


def _target(blocks: Blocks, classes: Classes | None) -> Blocks | None:
    return None if classes is None else permuted(blocks, classes, axis=1)


def _element(
    inner: Tensor,
    classes: Classes | None,
    judgement: Judgement,
    frame: Frame,
    again: View,
    final: View,
    grid: Grid | None,
) -> Element:
    first = frame.lift(inner)
    second = again.frame.lift(again.polished(first, classes))
    best = final.polished((first + second) / 2, classes)
    error = float(final.frame.lower(first - second).norm()) / (2 * math.sqrt(frame.rank))
    moved = float((final.frame.lower(first) - best).norm()) / math.sqrt(frame.rank)
    error = max(error, moved / 2)  # the solution of all samples is between those of the halves, or is another one
    repeated = error <= REPEATED
    verdict = judgement.verdict if repeated or judgement.verdict != "kept" else "undecided"
    more = judgement.more if repeated else max(judgement.more, (error / REPEATED) ** 2)
    name, cosine, exact = name_element(best, final.frame, grid)
    period, distance = nearest_period(best)
    return Element(
        final.frame.lift(best),
        best,
        name,
        cosine,
        exact,
        judgement.violation,
        judgement.noise,
        judgement.share,
        judgement.worst_direction,
        period if distance < PERIODIC else None,
        error,
        verdict,
        math.ceil(min(final.samples * more, 1e12)) if verdict == "undecided" else None,
        classes,
    )
