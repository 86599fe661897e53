"""What a generator may be: one family, one file, one contract (see `lgn.generators.Generator`)."""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor, nn

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
from lgn.generators.starts import Share, Start, StartName, leading_shape, start_matrices

FAMILIES: dict[str, type[Generator]] = {
    family.name: family
    for family in (Dense, Orthogonal, Cyclic, Kronecker, LowRank, Circulant, DoublyStochastic, Affine, Fixed)
}

# A family by name, by class (or functools.partial of one, to set its options), or a generator that is there already.
Family = str | Callable[..., Generator] | Generator


def make_generator(
    family: Family,
    patch: tuple[int, int],
    order: int,
    leading: tuple[int, int],
    start: Start = "orthogonal",
    *,
    device: torch.device | str | None = None,
    dtype: torch.dtype | None = None,
) -> Generator:
    """A generator of the family, one matrix for each of `leading`; a module that is given is used as it is."""
    if isinstance(family, Generator):
        if family.patch != patch:
            raise ValueError(f"generator must act on {patch[0]}x{patch[1]} patches, got one for {family.patch}")
        given = tuple(family.start_distance.shape)
        if any(size not in (1, wanted) for size, wanted in zip(given, leading, strict=True)):
            raise ValueError(f"generator must have {leading} matrices, or 1 in place of either, got {given}")
        return family
    if isinstance(family, str):
        if family not in FAMILIES:
            raise ValueError(f"generator must be one of {', '.join(FAMILIES)}, got {family!r}")
        family = FAMILIES[family]
    must = isinstance(family, type) and issubclass(family, Generator) and family.operator == "must"
    if must and not isinstance(start, Tensor):
        raise ValueError(f"start must be a matrix for the family fixed, got {start!r}")
    d = patch[0] * patch[1]
    if isinstance(start, Tensor) and start.shape[-2:] != (d, d):
        raise ValueError(
            f"start must be {d}x{d} matrices for a kernel of {patch[0]}x{patch[1]}, got shape {tuple(start.shape)}"
        )
    made = family(start_matrices(start, leading, d, device=device, dtype=dtype), patch, order)
    made.started_from = None if isinstance(start, Tensor) else start
    return made


def generators_of(model: nn.Module) -> dict[str, Generator]:
    """The generators of a model by name, each once however many layers share it."""
    return {name: module for name, module in model.named_modules() if isinstance(module, Generator)}


def matrices_by_size(generators: Iterable[Generator]) -> dict[tuple[int, int], Tensor]:
    """The matrices of many generators in one batch per size and order: {(d, p): (count, d, d)}."""
    batches: dict[tuple[int, int], list[Tensor]] = {}
    for generator in generators:
        matrix = generator.matrix()
        batches.setdefault((matrix.shape[-1], generator.order), []).append(matrix.flatten(0, 1))
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
    "Share",
    "Start",
    "StartName",
    "generators_of",
    "leading_shape",
    "make_generator",
    "matrices_by_size",
    "start_matrices",
]
