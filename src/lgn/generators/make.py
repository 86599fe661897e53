"""`make_generator`: a generator of a family by name."""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from lgn.actions import Patch, size_text
from lgn.generators.affine import Affine
from lgn.generators.base import Generator
from lgn.generators.circulant import Circulant
from lgn.generators.dense import Dense
from lgn.generators.doubly_stochastic import DoublyStochastic
from lgn.generators.fixed import Fixed
from lgn.generators.kronecker import Kronecker
from lgn.generators.low_rank import LowRank
from lgn.generators.orthogonal import Orthogonal
from lgn.generators.representation import Cyclic, Representation
from lgn.generators.starts import Start, start_matrices
from lgn.groups import Group, as_group

_FAMILIES = (Dense, Orthogonal, Cyclic, Representation, Kronecker, LowRank, Circulant, DoublyStochastic, Affine, Fixed)
FAMILIES: dict[str, type[Generator]] = {family.name: family for family in _FAMILIES}

#: A family by name, a class (or a functools.partial of it, which sets options), or a finished generator.
Family = str | Callable[..., Generator] | Generator


def make_generator(
    family: Family,
    patch: Patch,
    group: Group | str | int,
    leading: tuple[int, int],
    start: Start = "orthogonal",
    *,
    device: torch.device | str | None = None,
    dtype: torch.dtype | None = None,
) -> Generator:
    """A generator of the family with `leading` matrices; a finished generator is returned as it is.

    For a group with k generators there are k matrices for each of `leading`, and `start` can be a list of k matrices.
    """
    group = as_group(group)
    if isinstance(family, Generator):
        _require_fit(family, patch, group, leading)
        return family
    if isinstance(family, str):
        if family not in FAMILIES:
            raise ValueError(f"generator must be one of {', '.join(FAMILIES)}, got {family!r}")
        family = FAMILIES[family]
    if not isinstance(start, str):
        start = _start_of_group(start, group)
    elif getattr(family, "operator", None) == "must":
        raise ValueError(f"start must be a matrix for the family fixed, got {start!r}")
    leading = (len(group.generators) * leading[0], leading[1])
    made = family(start_matrices(start, leading, math.prod(patch), device=device, dtype=dtype), patch, group)
    made.start_name = start if isinstance(start, str) else None
    return made


def _require_fit(generator: Generator, patch: Patch, group: Group, leading: tuple[int, int]) -> None:
    """Raise a ValueError if a finished generator does not fit a layer."""
    count = len(group.generators)
    if generator.group != group and (count > 1 or len(generator.group.generators) > 1):
        raise ValueError(f"generator must be for the group {group.name}, got one for {generator.group.name}")
    if generator.patch != patch:
        raise ValueError(f"generator must act on {size_text(patch)} patches, got {size_text(generator.patch)}")
    rows, columns = generator.start_distance.shape
    found = (rows // count, columns)
    if any(size not in (1, wanted) for size, wanted in zip(found, leading, strict=True)):
        raise ValueError(f"generator must have {leading} matrices, or 1 in place of either number, got {found}")


def _start_of_group(start: Tensor | Sequence[Tensor], group: Group) -> Tensor | Sequence[Tensor]:
    """Given matrices as a list, one for each generator of the group; a single matrix for a group with one generator."""
    count = len(group.generators)
    if count == 1 and isinstance(start, Tensor):
        return start
    if (isinstance(start, Tensor) and start.ndim < 3) or len(start) != count:
        names = f"{', '.join(group.generators)} of {group.name}"
        given = f"shape {tuple(start.shape)}" if isinstance(start, Tensor) else f"{len(start)} matrices"
        raise ValueError(f"start must be one matrix for each generator {names}, got {given}")
    return list(start)
