"""The contract that every family of generators keeps."""

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Literal

import torch
from torch import Tensor, nn

from lgn.actions import Patch, written
from lgn.generators.starts import StartName, start_matrices
from lgn.groups import Group, as_group


class Generator(nn.Module, ABC):
    """A batch of matrices `A` that act on `vec(W)`, for filters `W` of one patch size.

    A family says what A may be, and all else that others must know of it: its name, how fast it learns, what it is
    encouraged to be, where it can start and what its filters determine. It is always started from given matrices,
    which `_start_from` projects onto the family: exactly, or by an approximation that its docstring names.
    `start_distance` is what the projection moved, `||A - start||_F / ||start||_F` for each matrix.

    Shapes: start and `matrix()` are (leading, channels or 1, d, d) with d = n * m; who has a matrix of their own is
    decided by `lgn.generators.leading_shape`. Of a group with several generators, the matrices of the first come
    first: `matrix().unflatten(0, (len(group.generators), -1))` has them apart.
    """

    name: ClassVar[str]  # by which layers, configs and the command line ask for it
    law: ClassVar[str]  # what holds for each matrix by construction, shown by repr
    #: The structures of `lgn.analysis` that every matrix has by that law, and that can never be findings.
    structures: ClassVar[tuple[str, ...]] = ()
    #: The options that the family is made with, by keyword; each is an attribute of the same name.
    option_names: ClassVar[tuple[str, ...]] = ()
    #: The learning rate of its numbers over that of the rest of a network; 0 for what is not trained.
    learning_rate: ClassVar[float] = 1.0
    #: The penalty of `lgn.penalties` that trainings encourage it by, unless they are told otherwise.
    penalty: ClassVar[Literal["inverse", "none"]] = "inverse"
    #: Whether a few pairs of filters decide all of it, whatever they span.
    decided_by_few: ClassVar[bool] = False
    #: Whether a known operator is what it starts from: "never", "may" or "must" be.
    operator: ClassVar[Literal["never", "may", "must"]] = "never"
    #: The name of the start that it was made from; None where matrices were given.
    started_from: StartName | None = None

    def __init__(self, start: Tensor, patch: Patch, group: Group | int = 4) -> None:
        super().__init__()
        self.group = as_group(group)
        self.patch, self.order = patch, self.group.order
        _require_start(start, patch)
        if len(start) % len(self.group.generators):
            raise ValueError(
                f"start must have a matrix for each of the generators {', '.join(self.group.generators)} of "
                f"{self.group.name}, got {len(start)}"
            )
        # Contiguous, as all that is stored must be: safetensors refuses the strides that `torch.linalg` leaves.
        self._start_from(start.detach().contiguous())
        with torch.no_grad():
            moved = torch.linalg.matrix_norm(self.matrix() - start)
            size = torch.linalg.matrix_norm(start)
        self.start_distance: Tensor = moved / size.clamp_min(torch.finfo(start.dtype).tiny)

    @abstractmethod
    def matrix(self) -> Tensor:
        """The matrices A.  (leading, channels or 1, d, d)"""

    @abstractmethod
    def _start_from(self, start: Tensor) -> None:
        """Make the parameters so that `matrix()` is `start`, or the member of the family near it."""

    @abstractmethod
    def law_error(self) -> Tensor:
        """How far each matrix is from the family's law, 0 where it holds.  (leading, channels or 1)"""

    @torch.no_grad()
    def project_(self) -> None:
        """Undo what an optimiser's step may do to a constraint that the parameters do not hold by themselves."""

    @torch.no_grad()
    def rebase_(self) -> None:
        """Move the origin of curved coordinates to where the matrices are, which stay. See Note [Rebasing]."""

    @classmethod
    def require_start(cls, start: StartName) -> None:
        """Refuse a start by name from which the family would not learn; trainings ask."""

    def determined(self, bases: int) -> int:
        """On how many dimensions filters can determine A at most, if it acts on the orbits of so many bases.

        As many as the vectors that A is applied to, for a cyclic group the elements of a set but the last, for others
        those of the generator that has the fewest; a family that leaves less open says so. See Note [What filters leave
        open] in `lgn.discovery.filters.determined`.
        """
        d = math.prod(self.patch)
        return d if self.decided_by_few else min(bases * min(self.group.uses), d)

    def options(self) -> dict[str, Any]:
        """The options of the family that this generator was made with."""
        return {name: getattr(self, name) for name in self.option_names}

    @torch.no_grad()
    def fresh(self, count: int, place: int = 0) -> Tensor | None:
        """Matrices of new starts of the same family, (count, d, d): what starts alone show. None if it was given.

        place: of which of the group's generators.
        """
        if self.started_from is None:
            return None
        d = math.prod(self.patch)
        several = len(self.group.generators)
        start = start_matrices(self.started_from, (several * count, 1), d)
        made = type(self)(start, self.patch, self.group, **self.options())
        return made.matrix().unflatten(0, (several, count))[place, :, 0]

    def forward(self) -> Tensor:
        return self.matrix()

    def __repr__(self) -> str:
        # One line: what is inside, such as torch's parametrisations, says nothing about the mathematics.
        return f"{type(self).__name__}({self.extra_repr()})"

    def extra_repr(self) -> str:
        shape = tuple(self.start_distance.shape)
        d = math.prod(self.patch)
        return f"{self.law}; {shape[0]}x{shape[1]} of {d}x{d} on {written(self.patch)} patches"


def require_invertible(start: Tensor, family: str) -> None:
    """Refuse singular matrices where a family has none, naming the rank that was found."""
    ranks = torch.linalg.matrix_rank(start)
    if (ranks < start.shape[-1]).any():
        raise ValueError(
            f"start must be invertible for {family}, got a matrix of rank {int(ranks.min())} of {start.shape[-1]}"
        )


def _require_start(start: Tensor, patch: Patch) -> None:
    d = math.prod(patch)
    if start.ndim != 4:
        raise ValueError(f"start must have 4 dimensions (leading, channels, d, d), got shape {tuple(start.shape)}")
    if start.shape[-2:] != (d, d):
        raise ValueError(
            f"start must be {d}x{d} matrices for a kernel of {written(patch)}, got {start.shape[-2]}x{start.shape[-1]}"
        )
    if not start.is_floating_point():
        raise ValueError(f"start must be of a floating type, got {start.dtype}")
    if not torch.isfinite(start).all():
        raise ValueError("start must be finite, got a matrix with infinite or undefined entries")
