"""A matrix to analyse, with everything known about it."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from lgn.actions import Patch, size_text
from lgn.analysis import identifiability, scores

Label = tuple[int | None, int | None, int | None]
FreshStarts = Callable[[int], Tensor]

#: With 144 pixels one matrix takes 14 s and 2.5 GB; both grow nearly with the cube of the pixels.
MOST_PIXELS = 144


@dataclass(frozen=True, eq=False)
class Subject:
    """A generator (d, d) on patches (n, m) with d = n m, in float64, and its origin."""

    matrix: Tensor
    patch: Patch
    name: str
    label: Label = (None, None, None)  # layer, set, channel
    order: int | None = None
    #: The matrix before training, (d, d).
    start: Tensor | None = None
    #: The filters W that it acts on, (d, N). Together with the length or the order they give the vectors.
    filters: Tensor | None = None
    #: The number of elements `W, A W, ...` of the sets that begin with the filters; None for the order.
    length: int | None = None
    #: The vectors that it was applied to, (d, N), if the filters are not known.
    vectors: Tensor | None = None
    #: A function that draws (count, d, d) new starts of the same family; subjects may share it.
    fresh_starts: FreshStarts | None = None
    #: Structures that its family guarantees, which are never findings.
    by_construction: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if len(self.patch) not in (1, 2, 3) or min(self.patch) < 1 or self.d < 2:
            raise ValueError(f"patch must have one, two or three sizes and at least 2 pixels, got {self.patch}")
        if self.d > MOST_PIXELS:
            raise ValueError(
                f"patch must have at most {MOST_PIXELS} pixels, because the null models need the singular values of "
                f"thousands of matrices, got {size_text(self.patch)}"
            )
        if self.order is not None and self.order < 1:
            raise ValueError(f"order must be at least 1, got {self.order}")
        if unknown := sorted(self.by_construction - set(scores.STRUCTURES)):
            raise ValueError(f"by_construction must be among {list(scores.STRUCTURES)}, got {unknown}")
        if self.filters is not None and self.vectors is not None:
            raise ValueError("filters and vectors must not both be given")
        if self.filters is not None and self.length is None and (self.order is None or self.order < 2):
            raise ValueError(f"order must be at least 2 if filters are given, got {self.order}")
        for name in ("filters", "vectors"):
            given = getattr(self, name)
            if given is not None and (given.ndim != 2 or len(given) != self.d or not torch.isfinite(given).all()):
                raise ValueError(f"{name} must be finite columns ({self.d}, N), got shape {tuple(given.shape)}")

    @property
    def d(self) -> int:
        return math.prod(self.patch)

    @cached_property
    def sets(self) -> Tensor | None:
        """The filter sets `A^j W`, (elements, d, N); None if the filters are not known."""
        length = self.length or self.order
        if self.filters is None or length is None:
            return None
        elements = identifiability.applied_to(self.matrix, self.filters, length + 1)
        return elements.unflatten(-1, (length, -1)).transpose(0, 1)

    @cached_property
    def applied(self) -> Tensor | None:
        """The vectors that the matrix was applied to, (d, N (p - 1)); None if they are not known."""
        return self.vectors if self.sets is None else self.sets[:-1].transpose(0, 1).flatten(1)

    @cached_property
    def basis(self) -> Tensor | None:
        """An orthonormal basis of the span U of these vectors, (d, dim U)."""
        return None if self.applied is None else identifiability.span(self.applied)

    @cached_property
    def projector(self) -> Tensor:
        """The orthogonal projector `P_U` on U, (d, d)."""
        assert self.basis is not None
        return self.basis @ self.basis.T


def checked(matrices: Tensor, patch: Patch, name: str) -> Tensor:
    """Square, finite matrices (G, d, d) of the patch in float64, or an error that names the argument."""
    d = math.prod(patch)
    result = torch.as_tensor(matrices).detach().cpu()
    if result.is_complex():
        raise ValueError(f"{name} must be real, got {result.dtype}")
    result = (result[None] if result.ndim == 2 else result).double()
    if result.ndim != 3 or result.shape[1:] != (d, d) or len(result) == 0:
        raise ValueError(f"{name} must be (G, {d}, {d}) for a patch of {size_text(patch)}, got {tuple(result.shape)}")
    if not torch.isfinite(result).all():
        raise ValueError(f"{name} must be finite, got infinities or NaN")
    return result
