"""All scores and structures: their names, their functions, and the null models that apply to them."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from torch import Tensor

from lgn.actions import Patch
from lgn.analysis import structure


@dataclass(frozen=True)
class ScoreKind:
    """One or two scores that share a computation."""

    names: tuple[str, ...]
    function: Callable[[Tensor, Patch], tuple[Tensor, ...]]
    #: Whether the scores depend on the places of pixels, so that relabelled pixels are a null model.
    spatial: bool
    #: Whether the scores depend on the smoothness of filters, not only on singular values or single entries.
    smooth: bool = True
    #: For a share of energy, the dimensions r of its space: under the Gaussian null model it has a Beta distribution.
    dimensions: Callable[[Patch], tuple[int, ...]] | None = None
    #: The numbers of axes of the patches that have the scores.
    axes: tuple[int, ...] = (1, 2, 3)


_d = math.prod  # the number of pixels of a patch


def _offset_kind(name: str, *, image: bool, wrap: bool) -> ScoreKind:
    """The share of matrices that depend on offsets in the image, or in the list of all pixels."""

    def sizes(patch: Patch) -> Patch:
        return patch if image else (_d(patch),)

    return ScoreKind(
        (name,),
        lambda a, p: (structure.offset_share(a, sizes(p), wrap=wrap),),
        spatial=True,
        dimensions=lambda p: (_d(n if wrap else 2 * n - 1 for n in sizes(p)),),
        axes=(2, 3) if image else (1, 2, 3),  # for a signal, both are equal
    )


KINDS: tuple[ScoreKind, ...] = (
    ScoreKind(
        ("symmetric", "skew-symmetric"),
        lambda a, _: structure.symmetry(a),
        spatial=False,
        dimensions=lambda p: (_d(p) * (_d(p) + 1) // 2, _d(p) * (_d(p) - 1) // 2),
    ),
    _offset_kind("Toeplitz", image=False, wrap=False),
    _offset_kind("block-Toeplitz", image=True, wrap=False),
    _offset_kind("circulant", image=False, wrap=True),
    _offset_kind("doubly block-circulant", image=True, wrap=True),
    ScoreKind(("Kronecker",), lambda a, p: (structure.kronecker(a, p),), spatial=True, axes=(2,)),
    ScoreKind(("permutation",), lambda a, _: (structure.permutation(a),), spatial=False, smooth=False),
    ScoreKind(
        ("low stable rank", "low effective rank"), lambda a, _: structure.low_rank(a), spatial=False, smooth=False
    ),
    ScoreKind(("causal energy",), lambda a, _: (structure.causal_energy(a),), spatial=True),
    # Relabelled pixels keep the signs of a matrix whose entries have one sign, so they are no null model here.
    ScoreKind(("causal sign",), lambda a, _: (structure.causal_sign(a),), spatial=False),
    ScoreKind(("quadrant signs",), lambda a, p: (structure.quadrant_signs(a, p),), spatial=True, axes=(2,)),
    ScoreKind(("block variety",), lambda a, p: (structure.block_variety(a, p),), spatial=True, axes=(2,)),
    ScoreKind(("concentrated blocks",), lambda a, p: (structure.concentrated_blocks(a, p),), spatial=True, axes=(2,)),
    ScoreKind(("few Fourier lines",), lambda a, p: (structure.few_lines(a, (_d(p),)),), spatial=True),
    ScoreKind(("few 2-D Fourier lines",), lambda a, p: (structure.few_lines(a, p),), spatial=True, axes=(2,)),
)

NAMES: tuple[str, ...] = tuple(name for kind in KINDS for name in kind.names)
SPATIAL: dict[str, bool] = {name: kind.spatial for kind in KINDS for name in kind.names}
SMOOTH: dict[str, bool] = {name: kind.smooth for kind in KINDS for name in kind.names}


def dimensions(patch: Patch) -> dict[str, int]:
    """The dimension of the space of each score that is a share of energy."""
    kinds = [kind for kind in KINDS if len(patch) in kind.axes]
    pairs = [(kind.names, kind.dimensions(patch)) for kind in kinds if kind.dimensions is not None]
    return {name: r for names, sizes in pairs for name, r in zip(names, sizes, strict=True)}


def names_for(patch: Patch) -> tuple[str, ...]:
    """The names of the scores of a patch."""
    return tuple(name for kind in KINDS if len(patch) in kind.axes for name in kind.names)


def score(a: Tensor, patch: Patch, names: Iterable[str] | None = None) -> dict[str, Tensor]:
    """The named scores of a batch of matrices, or all scores of the patch.  (..., d, d) -> name: (...)"""
    known = names_for(patch)
    wanted = set(known if names is None else names)
    if unknown := wanted - set(known):
        raise ValueError(f"names must be among {known}, got {sorted(unknown)}")
    result: dict[str, Tensor] = {}
    for kind in KINDS:
        if wanted.intersection(kind.names):
            result |= zip(kind.names, kind.function(a, patch), strict=True)
    return {name: result[name] for name in known if name in wanted}


#: Scores that are only conditions of a structure and never tested.
UNTESTED = frozenset({"block variety"})
#: The scores that must be above one half, not only beyond chance, because their chance is high.
CONDITIONS = {"multi-scale": "block variety"}
#: Structures about singular values only. They are corrected separately: nearly all trained matrices have few large
#: singular values, and their true findings would make room for false findings about space.
SPECTRAL = frozenset({"low stable rank", "low effective rank"})
_RENAMED = {"causal energy": "causal", "causal sign": "signed sides", "quadrant signs": "multi-scale"}
#: The structures that may be found, with the score that must be beyond chance.
STRUCTURES: dict[str, str] = {_RENAMED.get(name, name): name for name in NAMES if name not in UNTESTED}


def structures_for(patch: Patch) -> dict[str, str]:
    """The structures that a patch can have, with their scores."""
    known = names_for(patch)
    return {name: score for name, score in STRUCTURES.items() if score in known}
