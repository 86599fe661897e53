"""Linear maps without names that preserve the moments of data, found without candidates."""

from collections.abc import Sequence

from torch import Tensor
from tqdm import tqdm

from lgn.answer import Answer, DataSummary
from lgn.answer.answer import Setting
from lgn.data.kinds import Kind
from lgn.discovery.moments.class_maps import has_enough_cycles, moments_by_class, solutions_by_class
from lgn.discovery.moments.continuous import components, find_generators
from lgn.discovery.moments.elements import Solution, closure, judged_elements
from lgn.discovery.moments.invariants import invariants_and_noise
from lgn.discovery.moments.judge import Element, kept_maps
from lgn.discovery.moments.moments_answer import Describer, Found
from lgn.discovery.moments.prepare import prepare
from lgn.discovery.moments.sample import CLEAR, FOURTH, Frame, Sample, View, choose_frame, whitening
from lgn.discovery.moments.search import PROMISING, closed, polish, promising, search
from lgn.discovery.moments.tensors import Blocks, is_visible, power, weakest_direction
from lgn.transforms import AXES

#: The smallest signal-to-noise ratio of the weakest direction for a search, and for a search by third moments alone.
FAINT, ENOUGH = 1.0, 20.0
#: The number of samples in pictures.
EXAMPLES = 6

ALONE = "Only fourth moments differ from zero. They are equal for a map and its negative, so they decide nothing alone."
HIDDEN = "Noise hides the moments of a direction; {} samples or a smaller rank may show them."

# Note [More than the distribution]
# More maps may preserve the moments of a few orders than preserve the distribution. Means and covariances may be kept
# by turns of a plane by all angles, fourth moments of independent coordinates by all changes of signs, and all fourth
# moments by -I. So these moments do not decide alone, and kept maps must form a finite group or have an algebra.


def discover_moments(
    samples: Tensor,
    labels: Tensor | None = None,
    *,
    kind: Kind,
    columns: Sequence[str] = (),
    class_names: Sequence[str] = (),
    rank: int | None = None,
    size: int | None = None,
    blur: float | None = None,
    patch: int | tuple[int, int] | None = None,
    starts: int = 100,
    blocks: Tensor | None = None,
    seed: int = 0,
    progress: bool = False,
) -> Answer:
    """The linear maps that preserve the distribution of samples, found by their moments.

    The samples are whitened on their leading directions, z = W (x - mean). A linear map that preserves the distribution
    of x is an orthogonal O there, and it preserves the harmonic moments of `z / |z|`: `O . T = T` for the third and
    the fourth. A continuous symmetry `exp(t L)` satisfies the linear equation `L . T = 0`. The maps that each half of
    the samples finds are judged by the other half.

    With labels, a map must preserve the distribution of every class, or permute the classes.

    rank: the number of directions; None for as many as have clear moments.
    size, blur: whole images, signals and volumes are made small (14, 64 or 8 values along each axis) and smooth (by 1
        pixel).
    patch: the size of patches, which are searched in place of whole images.
    starts: the number of random starts of each kind.
    blocks: one label per sample; samples with the same label may depend on each other. Equal samples are one block.

    Shapes: samples of `kind`, labels (N,) integers, blocks (N,)
    """
    if starts < 1:
        raise ValueError(f"starts must be at least 1, got {starts}")
    sample, grid = prepare(samples, labels, kind, blocks, size, blur, patch, seed)
    found = find_maps(sample, rank, starts, progress)
    present = () if labels is None else tuple(labels.cpu().unique().tolist())
    names = tuple(class_names) or tuple(str(label) for label in present)
    examples = samples[:EXAMPLES].cpu() if kind in AXES else None
    data = DataSummary(kind, len(samples), tuple(samples.shape[1:]), names, tuple(columns), examples=examples)
    settings: dict[str, Setting] = {"starts": starts, "size": size, "blur": blur, "patch": patch}
    return Describer(found, grid, data, present).answer(settings, seed)


def find_maps(sample: Sample, rank: int | None, starts: int, progress: bool = False) -> Found:
    """Whiten the samples, search one half for maps that preserve its moments, and judge them by the other half."""
    if rank is not None:
        most = min(whitening(sample.x).rank, len(sample.x) // 4)
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
        facts={
            "clarity": power(blocks[max(blocks)])[0] * len(searching.x),
            "weakest": weakest_direction(blocks, len(searching.x)),
            "solutions": count,
            "judged": len(solutions),
        },
    )


def _moments(searching: Sample, rank: int | None) -> tuple[Frame, Blocks | None, tuple[str, ...]]:
    """The frame and the moments that decide: third ones, fourth ones, or both; None if there are none.

    Third moments of few directions are few numbers (16 for 4 directions, where a map has 6), and may have more
    symmetries than the distribution. Fourth moments cost more, and do not determine the sign of a map. Both are used
    for fewer than 12 directions, and if third moments are not clear.
    """
    frame, blocks = choose_frame(searching, (3,), rank)
    third, count = is_visible(blocks[3]), len(searching.x)
    clear = third and weakest_direction(blocks, count) >= ENOUGH and frame.rank >= FOURTH
    most = min(FOURTH, whitening(searching.x).rank) if rank is None else rank
    visible = third
    if not clear and most <= FOURTH:
        other, fourth = choose_frame(searching, (3, 4) if third else (4,), rank, most)
        if is_visible(fourth[4]):
            frame, blocks, visible = other, fourth, True
    if not visible:
        return frame, None, ("Third moments, and fourth moments of at most 12 directions, do not differ from zero.",)
    weakest = weakest_direction(blocks, count)
    if weakest < FAINT:
        more = f"about {round(2 * count * CLEAR / weakest):,}" if weakest > 0 else "many more"
        return frame, None, (HIDDEN.format(more),)
    return frame, blocks, () if third else (ALONE,)


def _solutions(view: View, generators: Sequence[Element], starts: int) -> tuple[int, list[Solution]]:
    """The number of solutions of a search on these samples, and the promising ones, closed under products."""
    if view.sample.labels is not None:
        return solutions_by_class(view, starts)
    lower = {**view.sample.moments(view.frame, tuple({1, 2} - set(view.blocks))), **view.blocks}
    found = search(view.moments, invariants_and_noise(lower), starts, view.sample.seed)
    hopeful = found[promising(found, view.blocks, 2 * PROMISING)]  # only these are worth the time of an ascent
    maps = polish(hopeful, view.moments)
    maps = components(closed(maps[promising(maps, view.blocks)], view.moments, view.blocks), generators)
    return len(found), [Solution(matrix) for matrix in maps]


def _decided(
    elements: tuple[Element, ...], generators: tuple[Element, ...], degrees: tuple[int, ...]
) -> tuple[tuple[Element, ...], tuple[Element, ...], tuple[str, ...]]:
    """Make kept maps undecided if the moments are too few, with a note; see Note [More than the distribution]."""
    undecided = tuple(element.undecided() for element in elements)
    if max(degrees) == 2 and generators:
        return undecided, (), ("Means and covariances have continuous symmetries, so they decide nothing alone.",)
    if kept_maps(elements) and not generators and closure(kept_maps(elements)) is None:
        return undecided, (), ("The kept maps do not close to a finite group: the moments are too few to decide.",)
    if max(degrees) == 2:
        pairs = zip(elements, undecided, strict=True)
        return tuple(one if has_enough_cycles(one.classes or ()) else other for one, other in pairs), (), ()
    return (undecided, (), ()) if degrees == (4,) else (elements, generators, ())
