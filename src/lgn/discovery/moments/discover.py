"""`discover_from_data`: the linear maps that keep the distribution of data, with no list to choose from."""

import math
from collections.abc import Sequence
from functools import cache, partial

from torch import Tensor

from lgn.discovery.moments import lie
from lgn.discovery.moments.continued import continued
from lgn.discovery.moments.elements import Half, Solution, found_again, judged
from lgn.discovery.moments.grouping import group_of, outside
from lgn.discovery.moments.judge import LEVEL, Verdict
from lgn.discovery.moments.labels import ENOUGH as ENOUGH_CLASSES
from lgn.discovery.moments.labels import cycles, pooled, task_blocks, task_moments, task_solutions
from lgn.discovery.moments.naming import name_generator
from lgn.discovery.moments.prepare import Grid, prepare
from lgn.discovery.moments.result import DataSymmetry, Element, LieGenerator
from lgn.discovery.moments.search import PROMISING, closed, polish, promising, search
from lgn.discovery.moments.significance import Blocks, power, weakest_direction
from lgn.discovery.moments.split import BEYOND, CLEAR, FOURTH, Sample, choose_frame, halves, mean_moments
from lgn.discovery.moments.starts import invariants_and_noise
from lgn.discovery.moments.tensors import BLOCKS
from lgn.discovery.moments.view import View
from lgn.discovery.moments.whitening import Frame, principal_directions
from lgn.stats import student_quantile

STARTS = 100
FAINT = 1.0  # signal over noise of the weakest direction below which no map can be decided, and none is looked for
ENOUGH = 20.0  # signal over noise of the weakest direction from which third moments are enough

# Note [More than the distribution]
# Moments of few orders may be kept by more maps than the distribution is. Means and covariances are kept by any angle
# in a plane; fourth moments of independent coordinates by every change of signs, and fourth moments of anything by -I.
# So these do not decide alone, and what is kept must close to a finite group or come with its algebra.


def discover_from_data(
    x: Tensor,
    labels: Tensor | None = None,
    rank: int | None = None,
    seed: int = 0,
    *,
    size: int | None = None,
    blur: float | None = None,
    patch: int | None = None,
    starts: int = STARTS,
) -> DataSymmetry:
    """The linear maps that keep the distribution of x, found by its moments: no candidates are given.

    x is whitened on its leading directions, z = W (x - mean); a linear map that keeps the distribution of x is there an
    orthogonal O that keeps the harmonic moments of `z / |z|`: `O . T = T` for the third, and the fourth where the third
    are not clear. What each half of the samples finds is judged by the other. See docs/unknown.md.

    rank: how many directions; None: as many as the moments are clear about.  size, blur: of whole images, which are
    made small and smooth (14x14, 1 pixel).  patch: look at patches of this size instead.  starts: of the search, of
    each kind.

    Shapes: (N, d), or images (N, C, H, W) of any numbers; `labels` (N,), whole numbers, ask for the symmetries of the
    task.
    """
    sample, grid = prepare(x, labels, size, blur, patch, seed)
    if starts < 1:
        raise ValueError(f"starts must be at least 1, got {starts}")
    _check_rank(sample, rank)
    searching, judging = halves(sample, seed)
    frame, found, notes = (_seen if labels is None else task_moments)(searching, rank, seed)
    if found is None:
        return _nothing(sample, frame, starts, notes, grid)
    weakest = weakest_direction(found, len(searching.x))
    if labels is None and weakest < FAINT:
        more = f"about {math.ceil(len(sample.x) * CLEAR / weakest):,}" if weakest > 0 else "many more"
        note = f"what moments say of some directions is lost in noise; {more} samples may show it, or a smaller rank"
        return _nothing(sample, frame, starts, [note], grid)
    degrees = tuple(found)

    def blocks_in(some: Sample, there: Frame) -> Blocks:
        return some.moments(there, degrees, seed) if labels is None else task_blocks(some, there, degrees, seed)

    @cache
    def beyond(some: Sample, there: Frame) -> Blocks:
        if 3 not in degrees or 4 in degrees or there.rank > BEYOND:
            return {}
        return (some if labels is None else pooled(some)).moments(there, (4,), seed)

    def follow(maps: Tensor) -> list[Verdict]:
        if labels is not None:
            return ["kept" for _ in maps]
        return continued(maps, frame, searching, judging, LEVEL / len(maps), seed)

    one = View(frame, found, mean_moments(found), len(searching.x))
    others, final = blocks_in(judging, frame), View.of(sample, frame, blocks_in)
    algebra = _algebra(found, others, final, grid)
    tried, solutions = _solutions(searching, one, algebra, starts, seed)
    elements: tuple[Element, ...] = ()
    if solutions:
        other = View.of(judging, frame, blocks_in)
        near = found_again(solutions, frame, other)
        again = Half(other, near, blocks_in(searching, other.frame), partial(beyond, searching, other.frame))
        here = Half(one, solutions, others, partial(beyond, judging, frame))
        elements = judged(here, again, final, grid, follow, notes)
    algebra, elements = _believed(algebra, elements, degrees, notes)
    degree = max(found)
    return DataSymmetry(
        elements,
        algebra,
        group_of(elements, algebra),
        len(sample.x),
        final.frame,
        degree,
        power(found[degree])[0] * len(searching.x),
        weakest,
        tried,
        len(solutions),
        starts,
        tuple(notes),
        grid,
    )


def _believed(
    algebra: tuple[LieGenerator, ...], elements: tuple[Element, ...], degrees: tuple[int, ...], notes: list[str]
) -> tuple[tuple[LieGenerator, ...], tuple[Element, ...]]:
    """What moments keep that the distribution need not is left open: see Note [More than the distribution]."""
    unclosed = group_of(elements, algebra).order is None and not algebra
    if max(degrees) == 2 and algebra:
        notes.append("means and covariances leave a continuous family of maps: nothing is claimed of them")
    elif unclosed and any(each.verdict == "kept" for each in elements):
        notes.append("what the moments keep does not close to a finite group: they are too few to decide")
    elif max(degrees) == 2:
        return (), tuple(each if cycles(each.classes) >= ENOUGH_CLASSES else each.left_open() for each in elements)
    elif degrees != (4,):
        return algebra, elements
    return (), tuple(each.left_open() for each in elements)


def _solutions(
    sample: Sample, view: View, algebra: Sequence[LieGenerator], starts: int, seed: int
) -> tuple[int, list[Solution]]:
    """How many solutions a search on these samples had, and those that are promising, closed by products."""
    if sample.labels is not None:
        tried, chosen = task_solutions(sample, view, starts, seed)
        return tried, [Solution(*each) for each in chosen]
    lower = {**sample.moments(view.frame, tuple({1, 2} - set(view.blocks)), seed), **view.blocks}
    found = search(view.moments, invariants_and_noise(lower), starts, seed)
    hopeful = polish(promising(found, view.blocks, 2 * PROMISING), view.moments)  # the rest is not worth the time
    left = outside(closed(promising(hopeful, view.blocks), view.moments, view.blocks), algebra)
    return len(found), [Solution(each) for each in left]


def _seen(searching: Sample, rank: int | None, seed: int) -> tuple[Frame, Blocks | None, list[str]]:
    """The frame and the moments that decide: third ones, fourth ones with them or without; None if there are none.

    Third moments of few directions are few (16 numbers of 4 directions, where a map has 6) and may be kept by more than
    the distribution is; fourth ones cost more, and leave the sign of a map open. Below 12 directions, and where third
    ones are not clear, both are asked.
    """
    frame, found = choose_frame(searching, (3,), rank, seed)
    third = visible(found[3])
    clear = weakest_direction(found, len(searching.x))
    if third and clear >= ENOUGH and frame.rank >= FOURTH:
        return frame, found, []
    note = "third moments cannot be told from none, as of Gaussian or sign-symmetric data"
    most = min(FOURTH, len(principal_directions(searching.x).variances)) if rank is None else rank
    if most > FOURTH:
        return frame, found if third else None, [] if third else [f"{note}; fourth ones are asked up to rank {FOURTH}"]
    degrees = (3, 4) if third else (4,)
    other, fourth = choose_frame(searching, degrees, rank, seed, most)
    if not visible(fourth[4]):
        return frame, found if third else None, [] if third else [f"{note}, and neither can fourth ones"]
    if third:
        return other, fourth, ["fourth moments decide with third ones"]
    return other, fourth, [f"{note}: fourth ones are kept by every map and its negative, and decide nothing alone"]


def visible(blocks: Tensor) -> bool:
    """Whether moments can be told from none."""
    size, error = power(blocks)
    return size > student_quantile(1 - LEVEL, BLOCKS - 1) * error


def _algebra(found: Blocks, judges: Blocks, final: View, grid: Grid | None) -> tuple[LieGenerator, ...]:
    """The generators of continuous symmetries: found on one half and judged on the other, until one is not kept.

    What is returned of them is found on all samples.
    """
    _, candidates = lie.spectrum(found)
    verdicts: list[lie.Cancellation] = []
    for inner in candidates[: lie.MOST]:
        verdict = lie.judge_generator(inner, judges, LEVEL / lie.MOST)
        if verdict.verdict == "broken" or (verdicts and verdicts[-1].verdict != "kept"):
            break
        verdicts.append(verdict)
    values, best = lie.spectrum(final.blocks)
    dimension = sum(each.verdict == "kept" for each in verdicts)
    if dimension and float(values[dimension - 1]) > lie.CLEAR * float(values[dimension]):
        return ()  # eigenvalues that grow without a jump are no zeros
    following = float(values[dimension].clamp_min(1e-12)) if dimension < len(values) else math.inf
    generators = []
    for inner, value, verdict in zip(best, values, verdicts, strict=False):
        name, cosine = name_generator(inner, final.frame, grid)
        undecided = verdict.verdict == "undecided"
        generators.append(
            LieGenerator(
                final.frame.back @ inner @ final.frame.to,
                inner,
                1.0 if undecided else abs(float(value)) / following,
                verdict.share,
                verdict.noise,
                name,
                cosine,
                verdict.verdict,
                math.ceil(min(final.samples * verdict.more, 1e12)) if undecided else None,
            )
        )
    return tuple(generators)


def _check_rank(sample: Sample, rank: int | None) -> None:
    if rank is None:
        return
    most = len(principal_directions(sample.x).variances)
    if not 2 <= rank <= most:
        raise ValueError(f"rank must be from 2 to {most}, the rank of the data, got {rank}")
    if len(sample.x) < 4 * rank:
        raise ValueError(f"rank must be at most a quarter of the {len(sample.x)} samples, got {rank}")


def _nothing(sample: Sample, frame: Frame, starts: int, notes: list[str], grid: Grid | None) -> DataSymmetry:
    return DataSymmetry((), (), group_of((), ()), len(sample.x), frame, 0, 0.0, 0.0, 0, 0, starts, tuple(notes), grid)
