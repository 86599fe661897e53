"""From solutions to elements: maps that one half finds and the other half judges, polished on all samples."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import torch
from torch import Tensor

from lgn import groups
from lgn.answer import Verdict
from lgn.discovery.moments.block_products import LEVEL, Blocks
from lgn.discovery.moments.continued import continued
from lgn.discovery.moments.judge import Judgement, Trial, judge
from lgn.discovery.moments.sample import BEYOND, Classes, Sample, View, permuted
from lgn.measures import nearest_period

#: The relative distance at which solutions of both halves are the same map, and at which products are an element.
MATCH, SAME = 0.4, 0.35
#: The largest relative difference of both halves at which a map is known.
REPEATED = 0.1
#: The number of undecided maps that are shown.
UNDECIDED = 5
#: The relative distance of a power to the identity at which a map has a period.
PERIODIC = 0.35

# Note [Third moments are not enough]
# Third moments of signals that begin anywhere on a ring are the bispectrum B(k, l). A reflection of all Fourier planes,
# z_k -> e^(i phi_k) conj(z_k), preserves it if its phases are phi_k + phi_l - phi_(k+l): a reversal and a filter. The
# profiles of digits satisfy this to 0.3 % of a random map, but their fourth moments show that it is no symmetry. So
# maps that third moments keep are also judged by fourth ones, on the samples that did not find them.

# Note [A jump]
# Independent coordinates with similar distributions can nearly be exchanged. Of eight log-normal coordinates with a
# sequence of widths, dozens of exchanges violate 0 to 0.05 of a random map, without a gap, and the margin of "kept"
# separates them by accident. The zeros of an algebra must be followed by a jump, and so must the elements of a group:
# no other solution may violate as little as a kept one might.


class Solution(NamedTuple):
    """A map on the whitened directions, and where it takes the classes."""

    inner: Tensor  # (r, r)
    classes: Classes | None = None


@dataclass(frozen=True, eq=False)
class Element:
    """A map that the moments keep, or may keep."""

    #: On the r whitened directions, where it is orthogonal, (r, r).
    inner: Tensor
    #: Where class c goes, with labels.
    classes: Classes | None
    judgement: Judgement
    #: The smallest q with `A^q` near I, or None.
    period: int | None = None
    #: Half the relative difference of the solutions of both halves.
    error: float = 0.0

    @property
    def verdict(self) -> Verdict:
        """Kept or undecided."""
        return self.judgement.verdict

    def undecided(self) -> "Element":
        """The same map without a decision."""
        return replace(self, judgement=replace(self.judgement, verdict="undecided", more=math.inf))


@dataclass(frozen=True, eq=False)
class Fold:
    """A view that finds maps, and the other half of the samples, which judges them."""

    view: View
    judges: Sample

    @cached_property
    def blocks(self) -> Blocks:
        """The moments of the judges in the frame of the view."""
        return self.judges.moments(self.view.frame, tuple(self.view.blocks))

    @cached_property
    def further(self) -> Blocks:
        """The fourth moments of the judges if third ones searched alone: see Note [Third moments are not enough]."""
        degrees = self.view.blocks
        if 3 not in degrees or 4 in degrees or self.view.frame.rank > BEYOND:
            return {}
        return self.judges.moments(self.view.frame, (4,))

    def trial(self, solution: Solution, blocks: Blocks) -> Trial:
        """The moments that a solution must preserve."""
        classes = solution.classes
        return solution.inner, blocks, blocks if classes is None else permuted(blocks, classes, axis=1)


class _Result(NamedTuple):
    """A solution of the first half, the same map as the second half finds it, and the judgement."""

    solution: Solution
    match: Solution | None
    judgement: Judgement


def judged_elements(
    solutions: Sequence[Solution], first: Fold, second: Fold, final: View
) -> tuple[tuple[Element, ...], tuple[str, ...]]:
    """The solutions of the first half as elements with verdicts, kept ones first, and notes; broken ones are left out.

    A map that both halves find is judged twice, each time by the samples that did not find it. A kept map is left
    undecided if other solutions are as good, or if it does not extend to more directions.
    """
    again = _found_again(solutions, first.view, second.view)
    results = [_judged(one, _match(one, again), first, second, LEVEL / len(solutions)) for one in solutions]
    kept, undecided = ([one for one in results if one.judgement.verdict == word] for word in ("kept", "undecided"))
    shown = [*kept, *sorted(undecided, key=lambda one: one.judgement.share)[:UNDECIDED]]
    elements = [_element(result, first.view, second.view, final) for result in shown]
    notes: tuple[str, ...] = ()
    if kept and not _jump(kept, [one for one in results if one.judgement.verdict != "kept"]):
        notes = ("Other maps nearly preserve the moments too, so a symmetry cannot be told from a coincidence.",)
        elements = [one.undecided() if one.verdict == "kept" else one for one in elements]
    elif kept and solutions[0].classes is None:
        maps = torch.stack([one.solution.inner for one in kept])
        verdicts = continued(maps, first.view, first.judges, LEVEL / len(kept))
        broken = [place for place, verdict in enumerate(verdicts) if verdict == "broken"]
        for place in broken:
            elements[place] = elements[place].undecided()
        if broken:
            notes = (
                f"{len(broken)} of {len(kept)} maps are kept on the leading directions, but not on the next ones.",
            )
    return tuple(sorted(elements, key=lambda one: (one.verdict != "kept", one.judgement.share))), notes


def kept_group(elements: Sequence[Element]) -> groups.Closure | None:
    """The finite group of the kept elements; None if their products do not close."""
    kept = [element.inner for element in elements if element.verdict == "kept"]
    try:
        return groups.closure(kept, tolerance=SAME) if kept else None
    except ValueError:  # errors add up, or elements are missing
        return None


def _found_again(solutions: Sequence[Solution], there: View, here: View) -> list[Solution]:
    """The solutions of one view that are nearest to those of another view."""
    again = list(solutions)
    for classes in {solution.classes for solution in solutions}:
        places = [place for place, solution in enumerate(solutions) if solution.classes == classes]
        lifted = torch.stack([there.frame.lift(solutions[place].inner) for place in places])
        for place, inner in zip(places, here.polished(lifted, classes), strict=True):
            again[place] = Solution(inner, classes)
    return again


def _match(solution: Solution, others: Sequence[Solution]) -> Solution | None:
    """The nearest solution of the other half if it is near; the frames of both halves are turned to each other."""
    same = [other for other in others if other.classes == solution.classes]
    best = min(same, key=lambda other: float((other.inner - solution.inner).norm()))
    return best if float((best.inner - solution.inner).norm()) < MATCH * math.sqrt(len(solution.inner)) else None


def _judged(solution: Solution, match: Solution | None, first: Fold, second: Fold, level: float) -> _Result:
    found = [(solution, first)] if match is None else [(solution, first), (match, second)]
    judgement = judge([fold.trial(one, fold.blocks) for one, fold in found], level)
    if judgement.verdict == "kept" and all(fold.further for _, fold in found):
        judgement = judge([fold.trial(one, {**fold.blocks, **fold.further}) for one, fold in found], level)
    return _Result(solution, match, judgement)


def _jump(kept: Sequence[_Result], others: Sequence[_Result]) -> bool:
    """Whether all solutions outside the group of the kept ones violate more than the upper bound of the kept ones.

    Products of elements violate more than the elements, and may be undecided where the elements are not.
    """
    most = max(result.judgement.at_most for result in kept)
    as_good = [result.solution for result in others if result.judgement.share < most]
    if not as_good or kept[0].solution.classes is not None:  # classes distinguish maps as well
        return True
    try:
        group = groups.closure([result.solution.inner for result in kept], tolerance=MATCH).elements
    except ValueError:  # it does not close, and nothing is claimed
        return False
    size = math.sqrt(group.shape[-1])
    return all(float((group - one.inner).flatten(1).norm(dim=1).min()) < MATCH * size for one in as_good)


def _element(result: _Result, one: View, other: View, final: View) -> Element:
    solution, match, judgement = result
    classes, size = solution.classes, math.sqrt(final.frame.rank)
    first = one.frame.lift(solution.inner)
    second = other.frame.lift(other.polished(first[None], classes)[0] if match is None else match.inner)
    best = final.polished((first + second)[None] / 2, classes)[0]
    error = float(final.frame.lower(first - second).norm()) / (2 * size)
    # The solution of all samples is between those of the halves, or it is another one.
    error = max(error, float((final.frame.lower(first) - best).norm()) / size / 2)
    if error > REPEATED and judgement.verdict != "broken":
        more = max(judgement.more, (error / REPEATED) ** 2)
        judgement = replace(judgement, verdict="undecided", more=more)
    period, distance = nearest_period(best)
    return Element(best, classes, judgement, period if distance < PERIODIC else None, error)
