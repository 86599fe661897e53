"""Elements: maps that one half of the samples finds and the other half judges, polished on all samples."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import torch
from torch import Tensor

from lgn import groups
from lgn.answer import Verdict
from lgn.data.seeds import generator_for
from lgn.discovery.moments.ascent import Moments, climb
from lgn.discovery.moments.judge import Element, Judgement, judge
from lgn.discovery.moments.sample import BEYOND, FOURTH, Frame, View, ranks, whitening
from lgn.discovery.moments.search import polish
from lgn.discovery.moments.tensors import LEVEL, Classes
from lgn.measures import nearest_period

#: The relative distance at which solutions of both halves are the same map, and at which products are an element.
MATCH, SAME = 0.4, 0.35
#: The largest relative difference of the solutions of both halves.
REPEATED = 0.1
#: The largest number of undecided maps that are shown.
UNDECIDED = 5
#: The largest number of further directions on which maps are continued, and of random starts there.
FURTHER, STARTS = 8, 24
#: The relative distance of a power to the identity at which a map has a period.
PERIODIC = 0.35

# Note [A jump]
# Exchanges of independent coordinates with similar distributions are nearly symmetries. Dozens of them may have
# violations from 0 to 0.05 of a random map, without a gap, and the margin of "kept" separates them by accident. So all
# other solutions must have larger violations than the upper bound of the kept ones.

# Note [Few directions]
# The first r directions alone may have more symmetries than x. For example, the mean and two harmonics of signals with
# random cyclic shifts have one relative phase, which a reversal with a filter always corrects. A third harmonic shows
# that the reversal is no symmetry. So a map is extended to the next gap of the variances: blocks for the new directions
# are fitted to the samples that found the map, and the other samples judge.


class Solution(NamedTuple):
    """A map on the whitened directions, and its permutation of the classes."""

    inner: Tensor  # (r, r)
    classes: Classes | None = None


#: A solution of the first half, the matrix (r, r) of the same map if the second half finds it, and the judgement.
_Result = tuple[Solution, Tensor | None, Judgement]


def judged_elements(
    solutions: Sequence[Solution], first: View, final: View
) -> tuple[tuple[Element, ...], tuple[str, ...]]:
    """The solutions of the first half as elements with verdicts, kept ones first, and notes; broken ones are left out.

    A map that both halves find is judged twice, by the samples that did not find it. A kept map is left
    undecided if other solutions are as good, or if it does not extend to more directions.
    """
    second = first.turned_to(first.judges, first.sample)
    again = {}  # the solutions of the second half that are nearest to those of the first
    for classes in {solution.classes for solution in solutions}:
        lifted = [first.frame.lift(solution.inner) for solution in solutions if solution.classes == classes]
        again[classes] = second.polished(torch.stack(lifted), classes)
    level = LEVEL / len(solutions)
    results = [_judged(solution, again[solution.classes], first, second, level) for solution in solutions]
    kept, undecided = (
        [result for result in results if result[2].verdict == verdict] for verdict in ("kept", "undecided")
    )
    shown = [*kept, *sorted(undecided, key=lambda result: result[2].share)[:UNDECIDED]]
    elements = [_element(result, first, second, final) for result in shown]
    note = ""
    if kept and not _jump(kept, [result for result in results if result[2].verdict != "kept"]):
        note = "Other maps nearly preserve the moments too, so a symmetry may be a coincidence."
        elements = [element.undecided() if element.verdict == "kept" else element for element in elements]
    elif kept and solutions[0].classes is None:
        verdicts = _continued(torch.stack([solution.inner for solution, _, _ in kept]), first, LEVEL / len(kept))
        broken = [place for place, verdict in enumerate(verdicts) if verdict == "broken"]
        for place in broken:
            elements[place] = elements[place].undecided()
        note = f"{len(broken)} of {len(kept)} maps are kept on the leading directions, but not on the next ones."
        note = note if broken else ""
    elements.sort(key=lambda element: (element.verdict != "kept", element.judgement.share))
    return tuple(elements), (note,) if note else ()


def closure(maps: Sequence[Tensor], tolerance: float = SAME) -> groups.Closure | None:
    """The finite group that maps generate; None if their products do not close."""
    try:
        return groups.from_matrices(maps, tolerance=tolerance) if maps else None
    except ValueError:  # errors add up, or elements are missing
        return None


def _judged(solution: Solution, again: Tensor, first: View, second: View, level: float) -> _Result:
    """The judgement of both halves, if the second half finds a map near the solution, and otherwise of the second.

    Shapes: again (count, r, r)
    """
    best = min(again, key=lambda inner: float((inner - solution.inner).norm()))
    near = float((best - solution.inner).norm()) < MATCH * math.sqrt(len(solution.inner))
    found = [(solution.inner, first), (best, second)] if near else [(solution.inner, first)]
    judgement = judge([(inner, view.judging, solution.classes) for inner, view in found], level)
    if judgement.verdict == "kept" and all(view.further for _, view in found):
        judgement = judge([(inner, {**view.judging, **view.further}, solution.classes) for inner, view in found], level)
    return solution, best if near else None, judgement


def _jump(kept: Sequence[_Result], others: Sequence[_Result]) -> bool:
    """Whether all solutions outside the group of the kept ones violate more than the upper bound of the kept ones.

    Products of elements violate more than the elements, and may be undecided where the elements are not.
    """
    most = max(judgement.at_most for _, _, judgement in kept)
    as_good = [solution.inner for solution, _, judgement in others if judgement.share < most]
    if not as_good or kept[0][0].classes is not None:  # classes distinguish maps as well
        return True
    group = closure([solution.inner for solution, _, _ in kept], MATCH)
    if group is None:
        return False
    distances = (group.elements[:, None] - torch.stack(as_good)).flatten(2).norm(dim=2).amin(0)
    return bool((distances < MATCH * math.sqrt(len(as_good[0]))).all())


def _element(result: _Result, one: View, other: View, final: View) -> Element:
    solution, match, judgement = result
    classes, size = solution.classes, math.sqrt(final.frame.rank)
    first = one.frame.lift(solution.inner)
    second = other.frame.lift(other.polished(first[None], classes)[0] if match is None else match)
    best = final.polished((first + second)[None] / 2, classes)[0]
    error = float(final.frame.lower(first - second).norm()) / (2 * size)
    # The solution of all samples is between those of the halves, or it is another one.
    error = max(error, float((final.frame.lower(first) - best).norm()) / size / 2)
    if error > REPEATED and judgement.verdict != "broken":
        more = max(judgement.more, (error / REPEATED) ** 2)
        judgement = replace(judgement, verdict="undecided", more=more)
    period, distance = nearest_period(best)
    return Element(best, judgement, classes, period if distance < PERIODIC else None, error)


def _continued(maps: Tensor, view: View, level: float) -> list[Verdict]:
    """The verdict on the best extension of each map to the next gap of the variances; "kept" if there is no gap.

    Shapes: maps (count, r, r), orthogonal on the directions of the view
    """
    whole, frame = whitening(view.sample.x), view.frame
    cuts = [rank for rank in ranks(whole, frame.rank + FURTHER) if rank > frame.rank]
    if not cuts:
        return ["kept" for _ in maps]
    extra, further = min(cuts) - frame.rank, slice(frame.rank, min(cuts))
    back = torch.cat([frame.back, whole.back[:, further]], 1)
    wider = Frame(frame.mean, torch.cat([frame.to, whole.to[further]]), back)
    generator = generator_for("continued maps", view.sample.seed)
    more = torch.linalg.qr(torch.randn(STARTS, extra, extra, generator=generator, dtype=torch.float64))[0]
    signs = 1.0 - 2 * torch.randint(2, (STARTS, extra), generator=generator).double()
    more = torch.cat([more, torch.eye(extra, dtype=torch.float64)[None], torch.diag_embed(signs).unique(dim=0)])
    found = view.sample.moments(wider, (3, 4) if wider.rank <= FOURTH else (3,))
    moments = {degree: tensor.mean(0) for degree, tensor in found.items()}
    blocks = view.judges.moments(wider, (3, 4) if wider.rank <= BEYOND else (3,))
    return [judge([(_extended(matrix, more, moments), blocks, None)], level).verdict for matrix in maps]


def _extended(matrix: Tensor, more: Tensor, moments: Moments) -> Tensor:
    """The extension with the smallest violation.  (r, r), (starts, extra, extra) -> (r + extra, r + extra)"""
    starts = torch.stack([torch.block_diag(matrix, block) for block in more])
    inside = torch.block_diag(torch.ones_like(matrix), torch.ones_like(more[0]))
    quick = {degree: tensor.float() for degree, tensor in moments.items()}
    found, values = climb(starts.float(), quick, steps=40, inside=inside.float())
    return polish(found[values.argmax()][None], moments)[0]
