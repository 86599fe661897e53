"""Banks of filters: orbits of basis filters under a group, or free filters as the control."""

import math
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.actions import Patch, apply, size_text, unvec, vec, walk
from lgn.generators import Family, Generator, Share, Start, leading_shape, make_generator
from lgn.groups import Group, as_group
from lgn.nn.element_matrices import ElementMatrices


class OrbitBank(nn.Module):
    """Sets of filters; each set is the orbit `{ rho(g) W : g in G }` of a basis filter W.

    For a cyclic group a set is `[W, phi(W), ..., phi^(p-1)(W)]` (eqs. 9 and 11). The filters of a set are in the order
    of the elements of the group, the identity first. All orbits are computed in one batch, and every element costs one
    matrix-vector product. Products of generators are formed only if the generators are fixed and all sets share them.

    With `num_layers` one bank holds the filters of several layers. An unfolded encoder computes all its orbits at once.

    Shapes: basis (layers * sets, channels, n, m); filters (layers * sets * order, channels, n, m), set-major; one
    axis of pixels for signals, three for volumes.
    """

    def __init__(
        self,
        in_channels: int,
        num_sets: int,
        patch: Patch | int,
        *,
        group: Group | str | int = 4,
        num_layers: int = 1,
        generator: Family = "dense",
        share: Share = "set",
        start: Start = "orthogonal",
        channel_generator: Family | None = None,
        channel_start: Start = "orthogonal",
        basis_norm: float | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.patch = (patch, patch) if isinstance(patch, int) else patch
        require_positive(in_channels=in_channels, num_sets=num_sets, num_layers=num_layers, kernel_size=min(self.patch))
        self.group = group_of_layer(group)
        self.tree, self.num_generators = self.group.tree, len(self.group.generators)  # compilers read plain values
        self.order, self.num_sets, self.num_layers, self.basis_norm = self.group.order, num_sets, num_layers, basis_norm
        leading = leading_shape(share, num_sets, in_channels, num_layers)
        self.generator = make_generator(generator, self.patch, self.group, leading, start, device=device, dtype=dtype)
        # It acts on the channels as on a patch with one column: rho(g) is B(g) (x) A(g).
        self.channel_generator: Generator | None = None
        if channel_generator is not None:
            if share == "channel":
                raise ValueError("share must not be 'channel' with a channel_generator, got 'channel'")
            self.channel_generator = make_generator(
                channel_generator, (in_channels, 1), self.group, leading, channel_start, device=device, dtype=dtype
            )
        # Basis filters of norm 1: with an orthogonal start all filters have norm 1.
        basis = torch.randn(num_layers * num_sets, in_channels, *self.patch, device=device, dtype=dtype)
        self.basis = nn.Parameter(basis / filter_norms(basis))
        self._cached: Tensor | None = None
        self._element_matrices = ElementMatrices()

    def forward(self) -> Tensor:
        if self._cached is not None:
            return self._cached
        if (matrices := self.element_matrices()) is not None:
            elements = F.linear(self.basis.flatten(2), matrices).unflatten(2, (self.order, -1))
            return elements.transpose(1, 2).reshape(-1, self.basis.shape[1], *self.patch)
        # Generators that sets or channels share are broadcast.
        generators = self._matrices_by_generator(self.generator)
        vectors = vec(self.basis, len(self.patch)).unflatten(0, (self.num_layers, self.num_sets))
        if self.channel_generator is None:
            elements = walk(lambda place, vector: apply(generators[place], vector), vectors, self.tree)
        else:
            mixing = [matrix.squeeze(-3) for matrix in self._matrices_by_generator(self.channel_generator)]
            elements = walk(lambda place, vector: mixing[place] @ apply(generators[place], vector), vectors, self.tree)
        orbits = torch.stack(torch.broadcast_tensors(*elements))  # (order, layers, sets, channels, d)
        return unvec(orbits, self.patch).movedim(0, 2).flatten(0, 2)

    def element_matrices(self) -> Tensor | None:
        """The matrices of all elements if the generators are fixed and all sets share them, otherwise None."""
        if self._cached is not None or self.channel_generator is not None:
            return None
        return self._element_matrices.of(self.generator)

    def _matrices_by_generator(self, generator: Generator) -> list[Tensor]:
        """The matrices of every generator of the group, (layers or 1, sets or 1, channels or 1, d, d)."""
        parts = generator.matrix().chunk(self.num_generators)
        layers = self.num_layers if len(parts[0]) % self.num_layers == 0 else 1
        return [part.unflatten(0, (layers, -1)) for part in parts]

    def generators(self) -> tuple[Generator, ...]:
        """The generator of the pixels, and the generator of the channels if there is one."""
        return (self.generator,) if self.channel_generator is None else (self.generator, self.channel_generator)

    def acted_on(self, generator: Generator) -> int:
        """The number of basis vectors that a generator of this bank acts on: filters, or pixels with all channels."""
        filters, columns = self.basis.shape[:2].numel(), len(self.basis) * math.prod(self.patch)
        return (generator is self.generator) * filters + (generator is self.channel_generator) * columns

    @torch.no_grad()
    def project_(self) -> None:
        """Scale the basis filters to `basis_norm`, if it is set, and project the generators."""
        if self.basis_norm is not None:
            self.basis.mul_(self.basis_norm / filter_norms(self.basis))
        for generator in self.generators():
            generator.project_()

    def merged(self) -> "FreeBank":
        """The same filters without the group."""
        with torch.no_grad():
            return FreeBank(self().detach().clone()).train(self.training)

    def extra_repr(self) -> str:
        layers = f"{self.num_layers} layers of " if self.num_layers > 1 else ""
        filters = f"{self.basis.shape[1]} x {size_text(self.patch)}"
        group = f" ({self.group.name})" if self.num_generators > 1 else ""
        return f"{layers}{self.num_sets} sets of {self.order} filters{group}, {filters}"


class FreeBank(nn.Module):
    """Filters without a group: the control for a group, and the result of `merge`.

    Shapes: filters (count, channels, n, m)
    """

    def __init__(self, filters: Tensor) -> None:
        super().__init__()
        self.filters = nn.Parameter(filters)

    def forward(self) -> Tensor:
        return self.filters

    def extra_repr(self) -> str:
        count, channels, *patch = self.filters.shape
        return f"{count} filters, {channels} x {size_text(tuple(patch))}"


def project(model: nn.Module) -> None:
    """Project every bank of a model: call it after a step of the optimiser if norms are constrained."""
    for module in model.modules():
        if isinstance(module, OrbitBank):
            module.project_()


@contextmanager
def cached(model: nn.Module) -> Iterator[None]:
    """Compute the filters of a model once for the whole context, for inference: they carry no gradient."""
    banks = [module for module in model.modules() if isinstance(module, OrbitBank)]
    before = [bank._cached for bank in banks]
    try:
        for bank in banks:
            with torch.no_grad():
                bank._cached = bank().detach()
        yield
    finally:
        for bank, filters in zip(banks, before, strict=True):
            bank._cached = filters


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Evaluation mode with cached filters for the whole context; every module has its mode again afterwards."""
    modes = [(module, module.training) for module in model.modules()]
    try:
        with cached(model.eval()):
            yield
    finally:
        for module, training in modes:
            module.training = training


def filter_norms(filters: Tensor) -> Tensor:
    """The norm of every filter, shaped to divide by it.  (filters, channels, n, m) -> (filters, channels, 1, 1)"""
    return torch.linalg.vector_norm(filters, dim=tuple(range(2, filters.ndim)), keepdim=True)


def group_of_layer(group: Group | str | int) -> Group:
    """The group of a layer, with at least 2 elements; an int is the cyclic group of that order."""
    found = None if isinstance(group, int) and group < 2 else as_group(group)
    if found is None or found.order < 2:
        raise ValueError(f"group must have at least 2 elements, got {group if found is None else found.name}")
    return found


def require_positive(**values: int) -> None:
    """Raise if an argument is below 1."""
    for name, value in values.items():
        if value < 1:
            raise ValueError(f"{name} must be at least 1, got {value}")


def require_choice(name: str, value: str, allowed: tuple[str, ...]) -> None:
    """Raise if the value of an argument is not allowed."""
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}, got {value!r}")
