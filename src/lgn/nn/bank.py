"""Banks of filters: orbits of basis filters under generators, or free filters as the control."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from lgn.algebra import orbit
from lgn.generators import Family, Share, Start, leading_shape, make_generator


class OrbitBank(nn.Module):
    """The filters `[W, phi(W), ..., phi^(p-1)(W)]` of each set (eqs. 9 and 11), all in one batched orbit.

    A bank can hold those of several layers at once, so that an unfolded network computes one orbit for all of them.

    Shapes: basis (layers * sets, channels, n, m); filters (layers * sets * order, channels, n, m), set-major.
    """

    def __init__(
        self,
        in_channels: int,
        num_sets: int,
        order: int,
        patch: tuple[int, int],
        *,
        num_layers: int = 1,
        generator: Family = "dense",
        share: Share = "set",
        start: Start = "orthogonal",
        basis_norm: float | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        require_positive(in_channels=in_channels, num_sets=num_sets, num_layers=num_layers, kernel_size=min(patch))
        if order < 2:
            raise ValueError(f"order must be at least 2, got {order}")
        self.order, self.num_sets, self.num_layers, self.basis_norm = order, num_sets, num_layers, basis_norm
        leading = leading_shape(share, num_sets, in_channels, num_layers)
        self.generator = make_generator(generator, patch, order, leading, start, device=device, dtype=dtype)
        # Bases of unit norm: with an orthogonal start every filter then has the same.
        basis = torch.randn(num_layers * num_sets, in_channels, *patch, device=device, dtype=dtype)
        self.basis = nn.Parameter(basis / torch.linalg.matrix_norm(basis, keepdim=True))
        self._cached: Tensor | None = None

    def forward(self) -> Tensor:
        if self._cached is not None:
            return self._cached
        # (layers or 1, sets or 1, channels or 1, d, d): what is shared broadcasts
        matrix = self.generator.matrix()
        layers = self.num_layers if matrix.shape[0] % self.num_layers == 0 else 1
        matrix = matrix.unflatten(0, (layers, -1))
        basis = self.basis.unflatten(0, (self.num_layers, self.num_sets))
        elements = orbit(matrix, basis, self.order)  # (order, layers, sets, channels, n, m)
        return elements.permute(1, 2, 0, 3, 4, 5).flatten(0, 2)

    @torch.no_grad()
    def project_(self) -> None:
        """Scale the bases back to `basis_norm`, where one is set, and let the generator do likewise."""
        if self.basis_norm is not None:
            self.basis.mul_(self.basis_norm / torch.linalg.matrix_norm(self.basis, keepdim=True))
        self.generator.project_()

    def merged(self) -> "FreeBank":
        """The same filters without the group."""
        with torch.no_grad():
            return FreeBank(self().detach().clone()).train(self.training)

    def extra_repr(self) -> str:
        layers = f"{self.num_layers} layers of " if self.num_layers > 1 else ""
        channels, n, m = self.basis.shape[1:]
        return f"{layers}{self.num_sets} sets of {self.order} filters, {channels} x {n}x{m}"


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
        count, channels, n, m = self.filters.shape
        return f"{count} filters, {channels} x {n}x{m}"


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


def require_positive(**values: int) -> None:
    """Refuse the first argument that is below 1, by its name."""
    for name, value in values.items():
        if value < 1:
            raise ValueError(f"{name} must be at least 1, got {value}")
