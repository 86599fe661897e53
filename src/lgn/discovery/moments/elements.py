"""From solutions to elements: found on each half and judged on the other, polished on all samples, and named."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from lgn import groups
from lgn.discovery.moments.judge import LEVEL, Fold, Judgement, Verdict, judge
from lgn.discovery.moments.naming import name_element
from lgn.discovery.moments.prepare import Grid
from lgn.discovery.moments.result import Element
from lgn.discovery.moments.significance import Blocks
from lgn.discovery.moments.view import Classes, View, permuted
from lgn.discovery.moments.whitening import Frame
from lgn.measures import nearest_period

MATCH = 0.4  # relative distance under which what the halves found is the same map
REPEATED = 0.1  # relative error by the two halves up to which a map is known
UNDECIDED = 5  # elements shown that are not decided: the most likely
PERIODIC = 0.35  # relative distance of a power to the identity


class Solution(NamedTuple):
    """A map on the whitened directions, and where it takes the classes of a task."""

    inner: Tensor  # (r, r)
    classes: Classes | None = None


Result = tuple[Solution, Solution | None, Judgement]  # what each half found, and how it was judged


@dataclass(frozen=True, eq=False)
class Half:
    """One half of the samples: how they look, what they found, and the blocks of the other half in the same frame."""

    view: View
    solutions: Sequence[Solution]
    others: Blocks
    #: Moments of the other half that no search climbed by; made when something is kept without them.
    beyond: Callable[[], Blocks] = dict


# Note [Third moments are not enough]
# On signals that begin anywhere on a ring third moments are the bispectrum B(k, l). A reflection of all Fourier planes,
# z_k -> e^(i phi_k) conj(z_k), keeps it where its phases are phi_k + phi_l - phi_(k+l): a reversal and a filter. The
# profiles of digits are so to 0.3 % of chance, while their fourth moments say at once that it is no symmetry. So what
# third moments keep is asked of fourth ones too, on the samples that did not find it.


# Note [A jump]
# Independent coordinates of similar laws can be exchanged, and nothing is violated but by how similar they are not: of
# eight log-normal ones in a row of widths dozens of exchanges violate 0 to 0.05 of chance, without a gap, and which of
# them are inside the margin of "kept" is an accident. The zeros of an algebra must be followed by a jump, and those of
# a group too: no other solution may violate as little as what is claimed might.


def judged(
    first: Half,
    second: Half,
    final: View,
    grid: Grid | None,
    follow: Callable[[Tensor], list[Verdict]],
    notes: list[str],
) -> tuple[Element, ...]:
    """What the first half found, as elements with their verdicts, kept ones first; what is broken is left out.

    What both halves have is judged twice, each solution by the samples that it is not from. Where the second half has
    nothing near, it judges alone. What is kept is left open where other
    solutions are as good, or where it does not go on: `follow` has the verdicts on more directions.
    """
    results: list[Result] = []
    for solution in first.solutions:
        match = _same(solution, second.solutions)
        found = [(solution, first)] + ([] if match is None else [(match, second)])
        level = LEVEL / len(first.solutions)
        judgement = judge([_fold(each, half.others) for each, half in found], level)
        if judgement.verdict == "kept" and all(half.beyond() for _, half in found):
            judgement = judge([_fold(each, {**half.others, **half.beyond()}) for each, half in found], level)
        results.append((solution, match, judgement))
    kept, undecided = ([each for each in results if each[2].verdict == word] for word in ("kept", "undecided"))
    left = [*kept, *sorted(undecided, key=lambda each: each[2].share)[:UNDECIDED]]
    elements = [_element(*each, first.view, second.view, final, grid) for each in left]
    if kept and not _jump(kept, [each for each in results if each[2].verdict != "kept"]):
        notes.append("other maps nearly keep the moments too: a symmetry cannot be told from a coincidence")
        elements = [each.left_open() if each.verdict == "kept" else each for each in elements]
    elif kept:
        ends = [verdict == "broken" for verdict in follow(torch.stack([each[0].inner for each in kept]))]
        if any(ends):
            notes.append(f"{sum(ends)} of {len(ends)} maps are kept on these directions and not on the next ones")
        for number, end in enumerate(ends):
            elements[number] = elements[number].left_open() if end else elements[number]
    return tuple(sorted(elements, key=lambda each: (each.verdict != "kept", each.share)))


def found_again(solutions: Sequence[Solution], there: Frame, view: View) -> list[Solution]:
    """What other samples make of solutions in a frame: the tops of their own moments that are nearest."""
    again = list(solutions)
    for classes in {each.classes for each in solutions}:
        alike = [number for number, each in enumerate(solutions) if each.classes == classes]
        lifted = torch.stack([there.lift(solutions[number].inner) for number in alike])
        for number, inner in zip(alike, view.polished(lifted, classes), strict=True):
            again[number] = Solution(inner, classes)
    return again


def _jump(kept: Sequence[Result], others: Sequence[Result]) -> bool:
    """Whether all solutions outside the group of what is kept violate more than that may, by its upper bound.

    Products of elements violate more than they do, and may be undecided where the elements are not.
    """
    most = max(judgement.at_most for _, _, judgement in kept)
    as_good = [solution for solution, _, judgement in others if judgement.share < most]
    if not as_good:
        return True
    if kept[0][0].classes is not None:
        return True  # classes tell maps apart as well
    try:
        group = groups.closure([solution.inner for solution, _, _ in kept], tolerance=MATCH).elements
    except ValueError:  # it does not close, and nothing is claimed
        return False
    size = math.sqrt(group.shape[-1])
    return all(float((group - each.inner).flatten(1).norm(dim=1).min()) < MATCH * size for each in as_good)


def _fold(solution: Solution, others: Blocks) -> Fold:
    classes = solution.classes
    return Fold(solution.inner, others, others if classes is None else permuted(others, classes, axis=1))


def _same(solution: Solution, others: Sequence[Solution]) -> Solution | None:
    """The nearest of the other half's solutions, if it is near; the frames of the halves are turned to each other."""
    alike = [each for each in others if each.classes == solution.classes]
    if not alike:
        return None
    distance, best = min(
        ((float((each.inner - solution.inner).norm()), number) for number, each in enumerate(alike)),
        default=(math.inf, 0),
    )
    return alike[best] if distance < MATCH * math.sqrt(len(solution.inner)) else None


def _element(
    solution: Solution,
    match: Solution | None,
    judgement: Judgement,
    one: View,
    other: View,
    final: View,
    grid: Grid | None,
) -> Element:
    classes = solution.classes
    first = one.frame.lift(solution.inner)
    second = other.frame.lift(other.polished(first[None], classes)[0] if match is None else match.inner)
    best = final.polished((first + second)[None] / 2, classes)[0]
    size = math.sqrt(final.frame.rank)
    error = float(final.frame.lower(first - second).norm()) / (2 * size)
    moved = float((final.frame.lower(first) - best).norm()) / size
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
