"""The list of all scores: their names, how they are computed, and which chance applies to each."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from torch import Tensor

from lgn.actions import Patch
from lgn.analysis import fourier, structure


@dataclass(frozen=True)
class ScoreKind:
    """One or two scores that share a computation."""

    names: tuple[str, ...]
    function: Callable[[Tensor, Patch], tuple[Tensor, ...]]
    #: Whether relabelling the pixels says anything about the scores.
    spatial: bool
    #: Whether the scores depend on more than singular values and single entries, and so on how smooth filters are.
    smooth: bool = True
    #: For a share of energy under a projection, the dimensions r of its space: its chance is exactly Beta.
    dimensions: Callable[[Patch], tuple[int, ...]] | None = None
    #: Of patches with how many axes it can be asked; what needs rows and columns has no meaning without them.
    axes: tuple[int, ...] = (1, 2, 3)


_d = math.prod  # of a patch, its pixels


KINDS: tuple[ScoreKind, ...] = (
    ScoreKind(
        ("symmetric", "skew-symmetric"),
        lambda a, _: structure.symmetry(a),
        spatial=False,
        dimensions=lambda p: (_d(p) * (_d(p) + 1) // 2, _d(p) * (_d(p) - 1) // 2),
    ),
    ScoreKind(
        ("Toeplitz",), lambda a, _: (structure.toeplitz(a),), spatial=True, dimensions=lambda p: (2 * _d(p) - 1,)
    ),
    ScoreKind(
        ("block-Toeplitz",),
        lambda a, p: (structure.block_toeplitz(a, p),),
        spatial=True,
        dimensions=lambda p: (math.prod(2 * n - 1 for n in p),),
        axes=(2, 3),  # of a signal it is Toeplitz
    ),
    ScoreKind(("circulant",), lambda a, _: (structure.circulant(a),), spatial=True, dimensions=lambda p: (_d(p),)),
    ScoreKind(
        ("doubly block-circulant",),
        lambda a, p: (structure.block_circulant(a, p),),
        spatial=True,
        dimensions=lambda p: (_d(p),),
        axes=(2, 3),  # of a signal it is circulant
    ),
    ScoreKind(("Kronecker",), lambda a, p: (structure.kronecker(a, p),), spatial=True, axes=(2,)),
    ScoreKind(("permutation",), lambda a, _: (structure.permutation(a),), spatial=False, smooth=False),
    ScoreKind(
        ("low stable rank", "low effective rank"), lambda a, _: structure.low_rank(a), spatial=False, smooth=False
    ),
    ScoreKind(("causal energy",), lambda a, _: (structure.causal_energy(a),), spatial=True),
    # Where all entries have one sign relabelling keeps it: it can say nothing against an ideal.
    ScoreKind(("causal sign",), lambda a, _: (structure.causal_sign(a),), spatial=False),
    ScoreKind(("quadrant signs",), lambda a, p: (structure.quadrant_signs(a, p),), spatial=True, axes=(2,)),
    ScoreKind(("block variety",), lambda a, p: (structure.block_variety(a, p),), spatial=True, axes=(2,)),
    ScoreKind(("concentrated blocks",), lambda a, p: (structure.concentrated_blocks(a, p),), spatial=True, axes=(2,)),
    ScoreKind(("few Fourier lines",), lambda a, p: (fourier.few_lines(a, p, "1-D"),), spatial=True),
    ScoreKind(("few 2-D Fourier lines",), lambda a, p: (fourier.few_lines(a, p, "2-D"),), spatial=True, axes=(2,)),
)

NAMES: tuple[str, ...] = tuple(name for kind in KINDS for name in kind.names)
SPATIAL: dict[str, bool] = {name: kind.spatial for kind in KINDS for name in kind.names}
SMOOTH: dict[str, bool] = {name: kind.smooth for kind in KINDS for name in kind.names}


def dimensions(patch: Patch) -> dict[str, int]:
    """The dimension of the space behind each score that is a share of energy under a projection."""
    kinds = [kind for kind in KINDS if len(patch) in kind.axes]
    pairs = [(kind.names, kind.dimensions(patch)) for kind in kinds if kind.dimensions is not None]
    return {name: r for names, sizes in pairs for name, r in zip(names, sizes, strict=True)}


def names_for(patch: Patch) -> tuple[str, ...]:
    """The scores that patches with so many axes have."""
    return tuple(name for kind in KINDS if len(patch) in kind.axes for name in kind.names)


def score(a: Tensor, patch: Patch, names: Iterable[str] | None = None) -> dict[str, Tensor]:
    """The named scores of a batch of matrices, or all that the patch has, by name.  (..., d, d) -> each (...)"""
    known = names_for(patch)
    wanted = set(known if names is None else names)
    unknown = wanted - set(known)
    if unknown:
        raise ValueError(f"names must be among {known}, got {sorted(unknown)}")
    result: dict[str, Tensor] = {}
    for kind in KINDS:
        if wanted.intersection(kind.names):
            result |= zip(kind.names, kind.function(a, patch), strict=True)
    return {name: result[name] for name in known if name in wanted}


@dataclass(frozen=True)
class Structure:
    """A structure that may be found: one or more scores, all of which must be beyond chance."""

    name: str
    scores: tuple[str, ...]
    words: str
    #: Scores that must only be above one half: chance alone already gives them high values.
    conditions: tuple[str, ...] = ()
    #: A statement about singular values alone. Such are corrected by themselves: trained matrices nearly all have few
    #: large ones, and true findings by the dozen would make room for false ones about place.
    spectral: bool = False


STRUCTURES: tuple[Structure, ...] = (
    Structure("symmetric", ("symmetric",), "each pixel hears another as that one hears it"),
    Structure("skew-symmetric", ("skew-symmetric",), "each pixel hears another with the opposite sign"),
    Structure("Toeplitz", ("Toeplitz",), "constant along diagonals: weights are shared along the column-major order"),
    Structure(
        "block-Toeplitz", ("block-Toeplitz",), "a filter of the image: weights depend on the offset of two pixels"
    ),
    Structure("circulant", ("circulant",), "diagonal in the Fourier basis of all pixels"),
    Structure("doubly block-circulant", ("doubly block-circulant",), "a filter of the image that wraps round"),
    Structure("Kronecker", ("Kronecker",), "rows and columns are treated apart"),
    Structure("permutation", ("permutation",), "moves pixels without mixing them"),
    Structure("low stable rank", ("low stable rank",), "few directions carry the energy", spectral=True),
    Structure("low effective rank", ("low effective rank",), "few directions matter at all", spectral=True),
    Structure("causal", ("causal energy",), "each pixel hears those on one side of it"),
    Structure("signed sides", ("causal sign",), "pixels before and pixels after are weighed with one sign each"),
    Structure("multi-scale", ("quadrant signs",), "each quadrant has its sign, its blocks differ", ("block variety",)),
    Structure("concentrated blocks", ("concentrated blocks",), "a tenth of the blocks holds the energy"),
    Structure("few Fourier lines", ("few Fourier lines",), "few rows and columns hold the energy in the Fourier basis"),
    Structure("few 2-D Fourier lines", ("few 2-D Fourier lines",), "few rows and columns of the 2-D Fourier basis"),
)


SPECTRAL: frozenset[str] = frozenset(each.name for each in STRUCTURES if each.spectral)


def structures_for(patch: Patch) -> tuple[Structure, ...]:
    """The structures that patches with so many axes can have: those all of whose scores they have."""
    known = set(names_for(patch))
    return tuple(each for each in STRUCTURES if known.issuperset(each.scores + each.conditions))


#: Scores that are never tested, only shown beside their chance.
UNTESTED: frozenset[str] = frozenset(name for each in STRUCTURES for name in each.conditions) - frozenset(
    name for each in STRUCTURES for name in each.scores
)
