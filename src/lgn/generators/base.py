"""`Generator`, the interface of every family, and the generators of a model."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar, Literal

import torch
from torch import Tensor, nn

from lgn.actions import Patch, size_text
from lgn.generators.starts import StartName, start_matrices
from lgn.groups import Group, as_group


class Generator(nn.Module, ABC):
    """A batch of matrices `A` that act on `vec(W)`, for filters `W` of one patch size.

    A generator starts from given matrices, which are projected to the family: exactly, or by an approximation that the
    docstring of the family describes. `start_distance` is the distance `||A - start||_F / ||start||_F` of this
    projection, for each matrix.

    Shapes: start and `matrix()` are (leading, channels or 1, d, d) with d = n * m; `lgn.generators.leading_shape`
    computes the leading dimensions. For a group with k generators, the leading dimension has k parts, one per
    generator: `matrix().unflatten(0, (k, -1))` separates them.
    """

    #: The name of the family in layers, configs and on the command line.
    name: ClassVar[str]
    #: What holds for each matrix by construction; `repr` shows it.
    guarantee: ClassVar[str]
    #: The structures of `lgn.analysis` that the guarantee implies, and that are therefore never findings.
    structures: ClassVar[tuple[str, ...]] = ()
    #: The keyword arguments of the family, which are attributes of the same names.
    option_names: ClassVar[tuple[str, ...]] = ()
    #: The factor of the learning rate; 0 for a family that is not trained.
    learning_rate: ClassVar[float] = 1.0
    #: The penalty of `lgn.penalties` in training, by default.
    penalty: ClassVar[str] = "inverse"
    #: Whether the family has so few parameters that a few pairs of filters determine them, whatever the filters span.
    few_parameters: ClassVar[bool] = False
    #: Whether the start is a known operator.
    operator: ClassVar[Literal["never", "may", "must"]] = "never"
    #: The name of the start, or None if matrices were given.
    start_name: StartName | None = None

    def __init__(self, start: Tensor, patch: Patch, group: Group | str | int = 4) -> None:
        super().__init__()
        self.group = as_group(group)
        self.patch, self.order = patch, self.group.order
        d, names = math.prod(patch), self.group.generators
        if start.ndim != 4 or start.shape[-2:] != (d, d):
            raise ValueError(
                f"start must be (leading, channels, {d}, {d}) for a kernel of {size_text(patch)}, "
                f"got shape {tuple(start.shape)}"
            )
        if not start.is_floating_point() or not torch.isfinite(start).all():
            raise ValueError(f"start must have finite entries of a floating-point type, got {start.dtype}")
        if len(start) % len(names):
            needed = f"{', '.join(names)} of {self.group.name}"
            raise ValueError(f"start must have a matrix for each generator {needed}, got {len(start)}")
        # safetensors refuses the strides that torch.linalg returns, so what is stored is contiguous.
        self._project(start.detach().contiguous())
        with torch.no_grad():
            moved = torch.linalg.matrix_norm(self.matrix() - start)
            size = torch.linalg.matrix_norm(start)
        self.start_distance: Tensor = moved / size.clamp_min(torch.finfo(start.dtype).tiny)

    @abstractmethod
    def matrix(self) -> Tensor:
        """The matrices A.  (leading, channels or 1, d, d)"""

    @abstractmethod
    def _project(self, start: Tensor) -> None:
        """Create the parameters such that `matrix()` is `start`, or a matrix of the family near it."""

    @abstractmethod
    def guarantee_error(self) -> Tensor:
        """The error of the guarantee for each matrix, 0 if it holds.  (leading, channels or 1)"""

    @torch.no_grad()
    def project_(self) -> None:
        """Restore a constraint on the parameters after a step of an optimiser."""

    @torch.no_grad()
    def rebase_(self) -> None:
        """Move the origin of curved coordinates to the present matrices, which do not change. See Note [Rebasing]."""

    @classmethod
    def require_start(cls, start: StartName) -> None:
        """Raise a ValueError for a start from which the family would not learn."""

    def determined_dimension(self, bases: int) -> int:
        """The largest dimension on which filters can determine A, if it acts on the orbits of `bases` bases.

        It is the number of vectors to which A is applied: for a cyclic group the elements of a set except the last, for
        other groups those of the least used generator. See Note [What filters leave open] in `lgn.nn.determined`.
        """
        d = math.prod(self.patch)
        return d if self.few_parameters else min(bases * min(self.group.uses), d)

    def options(self) -> dict[str, Any]:
        """The keyword arguments with which the family was created."""
        return {name: getattr(self, name) for name in self.option_names}

    @torch.no_grad()
    def fresh_starts(self, count: int, place: int = 0) -> Tensor | None:
        """Matrices of new starts of the same kind, (count, d, d), or None if matrices were given as the start.

        place: the number of the group's generator.
        """
        if self.start_name is None:
            return None
        generators = len(self.group.generators)
        start = start_matrices(self.start_name, (generators * count, 1), math.prod(self.patch))
        fresh = type(self)(start, self.patch, self.group, **self.options())
        return fresh.matrix().unflatten(0, (generators, count))[place, :, 0]

    def forward(self) -> Tensor:
        return self.matrix()

    def __repr__(self) -> str:
        # One line: submodules such as torch's parametrisations say nothing about the mathematics.
        return f"{type(self).__name__}({self.extra_repr()})"

    def extra_repr(self) -> str:
        leading, channels = self.start_distance.shape
        d = math.prod(self.patch)
        return f"{self.guarantee}; {leading}x{channels} of {d}x{d} on {size_text(self.patch)} patches"


def require_invertible(start: Tensor, family: str) -> None:
    """Raise a ValueError for singular matrices."""
    ranks = torch.linalg.matrix_rank(start)
    if (ranks < start.shape[-1]).any():
        raise ValueError(
            f"start must be invertible for {family}, got a matrix of rank {int(ranks.min())} of {start.shape[-1]}"
        )


def generators_of(model: nn.Module) -> dict[str, Generator]:
    """The generators of a model by module name; a generator that layers share appears once."""
    return {name: module for name, module in model.named_modules() if isinstance(module, Generator)}


def rebase(model: nn.Module) -> None:
    """Move the origin of the coordinates of every generator to its present matrices. See Note [Rebasing]."""
    for generator in generators_of(model).values():
        generator.rebase_()


def parameter_groups(model: nn.Module, learning_rate: float, generator_factor: float = 1.0) -> list[dict[str, Any]]:
    """Parameter groups for an optimiser: generators learn `generator_factor` times as fast as all other parameters.

    A factor of 0 freezes generators. Parameters with the same rate are in one group, in the order of the model.
    """
    if generator_factor < 0:
        raise ValueError(f"generator_factor must be at least 0, got {generator_factor}")
    own = [parameter for generator in generators_of(model).values() for parameter in generator.parameters()]
    for parameter in own:
        parameter.requires_grad_(generator_factor > 0)
    apart = {id(parameter) for parameter in own if generator_factor not in (0, 1)}
    others = [parameter for parameter in model.parameters() if parameter.requires_grad and id(parameter) not in apart]
    groups: list[dict[str, Any]] = [{"params": others, "lr": learning_rate}]
    if apart:
        groups.append({"params": own, "lr": learning_rate * generator_factor})
    return groups


def matrices_by_size(generators: Iterable[Generator]) -> dict[tuple[int, int], Tensor]:
    """The matrices of generators in a batch per size d and order p: {(d, p): (count, d, d)}.

    For a group with several generators, p is the order of each generator as an element.
    """
    batches: dict[tuple[int, int], list[Tensor]] = {}
    for generator in generators:
        matrix, group = generator.matrix(), generator.group
        for part, element in zip(matrix.chunk(len(group.generators)), group.generator_elements, strict=True):
            batches.setdefault((matrix.shape[-1], group.element_orders[element]), []).append(part.flatten(0, 1))
    return {key: torch.cat(batch) if len(batch) > 1 else batch[0] for key, batch in batches.items()}
