"""Banks of filters: orbits of basis filters under generators, or free filters as the control."""

import math
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.actions import Patch, apply, size_text, unvec, vec, walk
from lgn.generators import Family, Generator, Share, Start, leading_shape, make_generator
from lgn.groups import Group, as_group
from lgn.nn.known import KnownElements


class OrbitBank(nn.Module):
    """The filters `{ rho(g) W : g in G }` of each set, all in one batched orbit along a tree of words.

    For a cyclic group they are `[W, phi(W), ..., phi^(p-1)(W)]` (eqs. 9 and 11). The elements
    of a set are in the order of the group's, the identity first; powers and products of matrices are never formed,
    but for an action that is known, and one for all sets.

    A bank can hold those of several layers at once, so that an unfolded network computes one orbit for all of them.

    Shapes: basis (layers * sets, channels, n, m); filters (layers * sets * order, channels, n, m), set-major; those of
    signals have one axis of pixels, those of volumes three.
    """

    def __init__(
        self,
        in_channels: int,
        num_sets: int,
        patch: Patch,
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
        require_positive(in_channels=in_channels, num_sets=num_sets, num_layers=num_layers, kernel_size=min(patch))
        self.group = layer_group(group)
        self.tree, self.several = self.group.tree, len(self.group.generators)  # plain values: compilers read them
        self.order, self.num_sets, self.num_layers, self.basis_norm = self.group.order, num_sets, num_layers, basis_norm
        self.patch = patch
        leading = leading_shape(share, num_sets, in_channels, num_layers)
        self.generator = make_generator(generator, patch, self.group, leading, start, device=device, dtype=dtype)
        # Acts on the channels of a filter as on a patch of so many rows: rho(g) is B(g) (x) A(g).
        self.channel_generator: Generator | None = None
        if channel_generator is not None:
            if share == "channel":
                raise ValueError("share must not be 'channel' where channel_generator mixes the channels, got it")
            self.channel_generator = make_generator(
                channel_generator, (in_channels, 1), self.group, leading, channel_start, device=device, dtype=dtype
            )
        # Bases of unit norm: with an orthogonal start every filter then has the same.
        basis = torch.randn(num_layers * num_sets, in_channels, *patch, device=device, dtype=dtype)
        self.basis = nn.Parameter(basis / filter_norms(basis))
        self._cached: Tensor | None = None
        self._known = KnownElements()

    def forward(self) -> Tensor:
        if self._cached is not None:
            return self._cached
        if (known := self.known()) is not None:
            elements = F.linear(self.basis.flatten(2), known).unflatten(2, (self.order, -1))
            return elements.transpose(1, 2).reshape(-1, self.basis.shape[1], *self.patch)
        # What is shared broadcasts.
        several = self._by_generator(self.generator)
        vectors = vec(self.basis, len(self.patch)).unflatten(0, (self.num_layers, self.num_sets))
        if self.channel_generator is None:
            elements = walk(lambda place, vector: apply(several[place], vector), vectors, self.tree)
        else:
            mixing = [matrix.squeeze(-3) for matrix in self._by_generator(self.channel_generator)]
            elements = walk(lambda place, vector: mixing[place] @ apply(several[place], vector), vectors, self.tree)
        orbits = torch.stack(torch.broadcast_tensors(*elements))  # (order, layers, sets, channels, d)
        return unvec(orbits, self.patch).movedim(0, 2).flatten(0, 2)

    def known(self) -> Tensor | None:
        """The matrices of all elements where the action is known, as `KnownElements` has them; else None."""
        if self._cached is not None or self.channel_generator is not None:
            return None
        return self._known.of(self.generator)

    def _by_generator(self, generator: Generator) -> list[Tensor]:
        """The matrices of each generator of the group, (layers or 1, sets or 1, channels or 1, d, d)."""
        parts = generator.matrix().chunk(self.several)
        layers = self.num_layers if len(parts[0]) % self.num_layers == 0 else 1
        return [part.unflatten(0, (layers, -1)) for part in parts]

    def generators(self) -> tuple[Generator, ...]:
        """That of the pixels, and that of the channels where there is one."""
        return (self.generator,) if self.channel_generator is None else (self.generator, self.channel_generator)

    def acted_on(self, generator: Generator) -> int:
        """To how many vectors of the bases a generator of this bank is applied: filters, or pixels with channels."""
        filters, columns = self.basis.shape[:2].numel(), len(self.basis) * math.prod(self.patch)
        return (generator is self.generator) * filters + (generator is self.channel_generator) * columns

    @torch.no_grad()
    def project_(self) -> None:
        """Scale the bases back to `basis_norm`, where one is set, and let the generator do likewise."""
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
        group = f" ({self.group.name})" if len(self.group.generators) > 1 else ""
        return f"{layers}{self.num_sets} sets of {self.order} filters{group}, {filters}"


class FreeBank(nn.Module):
    """Filters without a group: the control that a group is compared with, and what `merge` leaves.

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
    """Project every bank of a model after an optimiser's step, where norms are to be kept."""
    for module in model.modules():
        if isinstance(module, OrbitBank):
            module.project_()


@contextmanager
def cached(model: nn.Module) -> Iterator[None]:
    """Within this context the filters of a model are computed once, for inference, and carry no gradient."""
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


def filter_norms(filters: Tensor) -> Tensor:
    """The norm of each filter, to divide it by.  (filters, channels, n, m) -> (filters, channels, 1, 1)"""
    return torch.linalg.vector_norm(filters, dim=tuple(range(2, filters.ndim)), keepdim=True)


def layer_group(group: Group | str | int) -> Group:
    """The group of a layer: an int is the cyclic group of that order; it must have at least 2 elements."""
    found = None if isinstance(group, int) and group < 2 else as_group(group)
    if found is None or found.order < 2:
        raise ValueError(f"group must have at least 2 elements, got {group if found is None else found.name}")
    return found


def require_positive(**values: int) -> None:
    """Refuse the first argument that is below 1, by its name."""
    for name, value in values.items():
        if value < 1:
            raise ValueError(f"{name} must be at least 1, got {value}")
