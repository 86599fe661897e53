"""What a generator may be: one family, one file, one contract (see `lgn.generators.Generator`)."""

import math
from collections.abc import Callable, Iterable, Sequence

import torch
from torch import Tensor, nn

from lgn.actions import Patch, written
from lgn.generators.affine import Affine
from lgn.generators.base import Generator
from lgn.generators.circulant import Circulant
from lgn.generators.cyclic import Cyclic
from lgn.generators.dense import Dense
from lgn.generators.doubly_stochastic import DoublyStochastic
from lgn.generators.fixed import Fixed
from lgn.generators.kronecker import Kronecker
from lgn.generators.low_rank import LowRank
from lgn.generators.orthogonal import Orthogonal
from lgn.generators.permutation_like import permutation_like
from lgn.generators.representation import Representation
from lgn.generators.starts import Share, Start, StartName, leading_shape, start_matrices
from lgn.groups import Group, as_group

FAMILIES: dict[str, type[Generator]] = {
    family.name: family
    for family in (
        Dense,
        Orthogonal,
        Cyclic,
        Representation,
        Kronecker,
        LowRank,
        Circulant,
        DoublyStochastic,
        Affine,
        Fixed,
    )
}

# A family by name, by class (or functools.partial of one, to set its options), or a generator that is there already.
Family = str | Callable[..., Generator] | Generator


def make_generator(
    family: Family,
    patch: Patch,
    group: Group | int,
    leading: tuple[int, int],
    start: Start = "orthogonal",
    *,
    device: torch.device | str | None = None,
    dtype: torch.dtype | None = None,
) -> Generator:
    """A generator of the family, one matrix for each of `leading`; a module that is given is used as it is.

    Of a group with several generators each has so many, and `start` may be a list of one matrix for each.
    """
    group = as_group(group)
    several = len(group.generators)
    if isinstance(family, Generator):
        if family.group != group and (several > 1 or len(family.group.generators) > 1):
            raise ValueError(f"generator must be for the group {group.name}, got one for {family.group.name}")
        if family.patch != patch:
            raise ValueError(f"generator must act on {written(patch)} patches, got one for {family.patch}")
        rows, columns = family.start_distance.shape
        there = (rows // several, columns)
        if any(size not in (1, wanted) for size, wanted in zip(there, leading, strict=True)):
            raise ValueError(f"generator must have {leading} matrices, or 1 in place of either, got {there}")
        return family
    if isinstance(family, str):
        if family not in FAMILIES:
            raise ValueError(f"generator must be one of {', '.join(FAMILIES)}, got {family!r}")
        family = FAMILIES[family]
    must = isinstance(family, type) and issubclass(family, Generator) and family.operator == "must"
    if must and isinstance(start, str):
        raise ValueError(f"start must be a matrix for the family fixed, got {start!r}")
    if not isinstance(start, str):
        start = _one_for_each(start, group)
    leading = (several * leading[0], leading[1])
    made = family(start_matrices(start, leading, math.prod(patch), device=device, dtype=dtype), patch, group)
    made.started_from = start if isinstance(start, str) else None
    return made


def _one_for_each(start: Tensor | Sequence[Tensor], group: Group) -> Tensor | Sequence[Tensor]:
    """Given matrices as one for each generator of the group; of a group with one, as they are."""
    several = len(group.generators)
    if several == 1 and isinstance(start, Tensor):
        return start
    if (start.ndim < 3 if isinstance(start, Tensor) else False) or len(start) != several:
        names = f"{', '.join(group.generators)} of {group.name}"
        count = f"shape {tuple(start.shape)}" if isinstance(start, Tensor) else f"{len(start)} matrices"
        raise ValueError(f"start must be one matrix for each of the generators {names}, got {count}")
    return list(start)


def generators_of(model: nn.Module) -> dict[str, Generator]:
    """The generators of a model by name, each once however many layers share it."""
    return {name: module for name, module in model.named_modules() if isinstance(module, Generator)}


def rebase(model: nn.Module) -> None:
    """Move the origin of the coordinates of every generator to where it is. See Note [Rebasing] in `.orthogonal`."""
    for generator in generators_of(model).values():
        generator.rebase_()


def matrices_by_size(generators: Iterable[Generator]) -> dict[tuple[int, int], Tensor]:
    """The matrices of many generators in one batch per size and order: {(d, p): (count, d, d)}."""
    batches: dict[tuple[int, int], list[Tensor]] = {}
    for generator in generators:
        matrix, group = generator.matrix(), generator.group
        # Of a group with several generators, each by its own order.
        for part, element in zip(matrix.chunk(len(group.generators)), group.generator_elements, strict=True):
            batches.setdefault((matrix.shape[-1], group.element_orders[element]), []).append(part.flatten(0, 1))
    return {key: torch.cat(batch) if len(batch) > 1 else batch[0] for key, batch in batches.items()}


__all__ = [
    "FAMILIES",
    "Affine",
    "Circulant",
    "Cyclic",
    "Dense",
    "DoublyStochastic",
    "Family",
    "Fixed",
    "Generator",
    "Kronecker",
    "LowRank",
    "Orthogonal",
    "Representation",
    "Share",
    "Start",
    "StartName",
    "generators_of",
    "leading_shape",
    "make_generator",
    "matrices_by_size",
    "permutation_like",
    "rebase",
    "start_matrices",
]
