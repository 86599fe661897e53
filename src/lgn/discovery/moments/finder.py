"""The search: maps that one half of the samples finds are judged by the other half."""

from collections.abc import Sequence
from dataclasses import dataclass

from tqdm import tqdm

from lgn.discovery.moments.class_maps import ENOUGH as ENOUGH_CYCLES
from lgn.discovery.moments.class_maps import cycles, moments_by_class, solutions_by_class
from lgn.discovery.moments.continuous import Generator, components, find_generators
from lgn.discovery.moments.elements import Element, Solution, judged_elements, kept_group
from lgn.discovery.moments.invariants import invariants_and_noise
from lgn.discovery.moments.sample import CLEAR, FOURTH, Frame, Sample, View, choose_frame, principal_directions
from lgn.discovery.moments.search import PROMISING, closed, polish, promising, search
from lgn.discovery.moments.tensors import Blocks, is_visible, power, weakest_direction

#: The smallest signal-to-noise ratio of the weakest direction for a search, and for a search by third moments alone.
FAINT, ENOUGH = 1.0, 20.0

NOTHING = "Third moments, and fourth moments of at most 12 directions, do not differ from zero."
ALONE = "Only fourth moments differ from zero. They are equal for a map and its negative, so they decide nothing alone."

# Note [More than the distribution]
# More maps may preserve the moments of a few orders than preserve the distribution. Any angle in a plane preserves
# means and covariances; every change of signs preserves fourth moments of independent coordinates, and -I preserves all
# fourth moments. So these moments do not decide alone, and kept maps must close to a finite group or have an algebra.


@dataclass(frozen=True, eq=False)
class Found:
    """The maps and generators that the moments keep or may keep."""

    #: The whitened directions of all samples.
    frame: Frame
    notes: tuple[str, ...]
    #: Kept elements first, then undecided ones, without the identity.
    elements: tuple[Element, ...] = ()
    generators: tuple[Generator, ...] = ()
    #: The highest order of moments that decides; 0 if no moments can be seen.
    degree: int = 0
    #: The signal-to-noise ratio of these moments, and of the weakest direction.
    clarity: float = 0.0
    weakest: float = 0.0
    #: The number of solutions of the search, and of judged ones.
    solutions: int = 0
    judged: int = 0


def find_maps(sample: Sample, rank: int | None, starts: int, progress: bool = False) -> Found:
    """Whiten the samples, search one half for maps that preserve its moments, and judge them by the other half."""
    if rank is not None:
        most = min(len(principal_directions(sample.x).variances), len(sample.x) // 4)
        if not 2 <= rank <= most:
            raise ValueError(f"rank must be from 2 to {most} for these samples, got {rank}")
    searching, judging = sample.halves()
    with tqdm(total=4, desc="moments", disable=None if progress else True, leave=False) as bar:
        frame, blocks, notes = (_moments if sample.labels is None else moments_by_class)(searching, rank)
        if blocks is None:
            return Found(frame, notes)
        bar.update()
        first = View(searching, judging, frame, blocks)
        final = first.turned_to(sample, judging)
        generators = find_generators(first, final)
        bar.update()
        count, solutions = _solutions(first, generators, starts)
        bar.update()
        elements, more = judged_elements(solutions, first, final) if solutions else ((), ())
        bar.update()
    elements, generators, why = _decided(elements, generators, tuple(blocks))
    return Found(
        frame=final.frame,
        notes=(*notes, *more, *why),
        elements=elements,
        generators=generators,
        degree=max(blocks),
        clarity=power(blocks[max(blocks)])[0] * len(searching.x),
        weakest=weakest_direction(blocks, len(searching.x)),
        solutions=count,
        judged=len(solutions),
    )


def _moments(searching: Sample, rank: int | None) -> tuple[Frame, Blocks | None, tuple[str, ...]]:
    """The frame and the moments that decide: third ones, fourth ones, or both; None if there are none.

    Third moments of few directions are few (16 numbers of 4 directions, where a map has 6), and more maps may preserve
    them than preserve the distribution. Fourth moments cost more, and do not determine the sign of a map. Below 12
    directions, and if third moments are not clear, both are used.
    """
    frame, blocks = choose_frame(searching, (3,), rank)
    third, count = is_visible(blocks[3]), len(searching.x)
    clear = third and weakest_direction(blocks, count) >= ENOUGH and frame.rank >= FOURTH
    most = min(FOURTH, len(principal_directions(searching.x).variances)) if rank is None else rank
    visible = third
    if not clear and most <= FOURTH:
        other, fourth = choose_frame(searching, (3, 4) if third else (4,), rank, most)
        if is_visible(fourth[4]):
            frame, blocks, visible = other, fourth, True
    if not visible:
        return frame, None, (NOTHING,)
    weakest = weakest_direction(blocks, count)
    if weakest < FAINT:
        more = f"about {round(2 * count * CLEAR / weakest):,}" if weakest > 0 else "many more"
        return (
            frame,
            None,
            (f"Noise hides the moments of a direction; {more} samples or a smaller rank may show them.",),
        )
    return frame, blocks, () if third else (ALONE,)


def _solutions(view: View, generators: Sequence[Generator], starts: int) -> tuple[int, list[Solution]]:
    """The number of solutions of a search on these samples, and the promising ones, closed under products."""
    if view.sample.labels is not None:
        return solutions_by_class(view, starts)
    lower = {**view.sample.moments(view.frame, tuple({1, 2} - set(view.blocks))), **view.blocks}
    found = search(view.moments, invariants_and_noise(lower), starts, view.sample.seed)
    hopeful = polish(promising(found, view.blocks, 2 * PROMISING), view.moments)  # the rest is not worth the time
    maps = components(closed(promising(hopeful, view.blocks), view.moments, view.blocks), generators)
    return len(found), [Solution(matrix) for matrix in maps]


def _decided(
    elements: tuple[Element, ...], generators: tuple[Generator, ...], degrees: tuple[int, ...]
) -> tuple[tuple[Element, ...], tuple[Generator, ...], tuple[str, ...]]:
    """Make kept maps undecided if the moments are too few, with a note; see Note [More than the distribution]."""
    undecided = tuple(element.undecided() for element in elements)
    kept = any(element.verdict == "kept" for element in elements)
    if max(degrees) == 2 and generators:
        return undecided, (), ("Means and covariances have continuous symmetries, so they decide nothing alone.",)
    if kept and not generators and kept_group(elements) is None:
        return undecided, (), ("The kept maps do not close to a finite group: the moments are too few to decide.",)
    if max(degrees) == 2:
        enough = [cycles(element.classes) >= ENOUGH_CYCLES for element in elements]
        return tuple(a if b else c for a, b, c in zip(elements, enough, undecided, strict=True)), (), ()
    return (undecided, (), ()) if degrees == (4,) else (elements, generators, ())
