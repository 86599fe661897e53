"""`OrbitConv2d`: a convolution in which some filters are transformed copies of each other."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.actions import act
from lgn.nn.plain_layers import plain_layer

ROUNDS = 10


class OrbitConv2d(nn.Module):
    """A convolution with filters `a_k g_k(b)` for the base b of their orbit, and free filters outside of all orbits.

    The transformations g_k are fixed. The layer begins at a plain convolution: the bases and the gains a_k, which may
    be negative, are the best approximation of its filters.

    orbits: the numbers of the filters of each orbit, and the orthogonal matrices that take b to each of them.
    window: the first and last row, first and last column of the kernel on which the matrices act; copies are 0 outside.

    Shapes: as the plain convolution; the matrices of an orbit (filters, d, d) for a window of d pixels; `basis`
    (orbits, channels, n, m), `gain` (copies,), `free` (others, ...)
    """

    elements: Tensor
    orbit: Tensor
    place: Tensor

    def __init__(
        self, plain: nn.Conv2d, orbits: Sequence[tuple[Sequence[int], Tensor]], window: tuple[int, int, int, int]
    ) -> None:
        super().__init__()
        self.window = window
        self.in_channels, self.out_channels, self.kernel_size = plain.in_channels, plain.out_channels, plain.kernel_size
        self.stride, self.dilation, self.groups = plain.stride, plain.dilation, plain.groups
        self.padding, self.padding_mode = plain.padding, plain.padding_mode
        self.margins = list(plain._reversed_padding_repeated_twice)  # left, right, top, bottom
        weight = plain.weight.detach()
        top, bottom, left, right = window
        copies = [number for filters, _ in orbits for number in filters]
        others = [number for number in range(len(weight)) if number not in set(copies)]
        orbit = [k for k, (filters, _) in enumerate(orbits) for _ in filters]
        elements = torch.cat([matrices for _, matrices in orbits])
        self.register_buffer("orbit", torch.tensor(orbit, device=weight.device))
        self.register_buffer("place", torch.tensor([*copies, *others]).argsort().to(weight.device))
        self.register_buffer("elements", elements.to(weight.dtype).to(weight.device))
        basis, gain = self._fit(weight[copies][..., top : bottom + 1, left : right + 1])
        self.basis, self.gain = nn.Parameter(basis), nn.Parameter(gain)
        self.free = nn.Parameter(weight[others].clone())
        self.bias = None if plain.bias is None else nn.Parameter(plain.bias.detach().clone())

    def filters(self) -> Tensor:
        """The filters, in the order of the plain convolution.  (filters, channels, n, m)"""
        top, bottom, left, right = self.window
        copied = act(self.elements.unsqueeze(1), self.basis[self.orbit]) * self.gain.view(-1, 1, 1, 1)
        n, m = self.kernel_size
        copied = F.pad(copied, (left, m - 1 - right, top, n - 1 - bottom))
        return torch.cat([copied, self.free])[self.place]

    def forward(self, x: Tensor) -> Tensor:
        padding = self.padding
        if self.padding_mode != "zeros":
            x, padding = F.pad(x, self.margins, mode=self.padding_mode), (0, 0)
        return F.conv2d(x, self.filters(), self.bias, self.stride, padding, self.dilation, self.groups)

    def merged(self) -> nn.Conv2d:
        """The plain convolution with the same filters."""
        return plain_layer(nn.Conv2d, self, self.filters(), self.bias)

    def extra_repr(self) -> str:
        return f"{len(self.gain)} filters in {len(self.basis)} orbits, {len(self.free)} free"

    def _fit(self, filters: Tensor) -> tuple[Tensor, Tensor]:
        """Bases and gains by alternating least squares; each step is exact for the other one fixed."""
        back = act(self.elements.mT.unsqueeze(1), filters)  # the transpose of an orthogonal matrix is its inverse
        gain = filters.flatten(1).norm(dim=1)
        first = torch.stack([(self.orbit == k).nonzero()[0, 0] for k in range(int(self.orbit.max()) + 1)])
        gain = gain * (back * back[first][self.orbit]).sum((1, 2, 3)).sign()
        for _ in range(ROUNDS):
            sums = torch.zeros_like(back[first]).index_add_(0, self.orbit, gain.view(-1, 1, 1, 1) * back)
            basis = sums / torch.zeros_like(gain[first]).index_add_(0, self.orbit, gain**2).view(-1, 1, 1, 1)
            size = basis.flatten(1).square().sum(1)[self.orbit]
            gain = (back * basis[self.orbit]).sum((1, 2, 3)) / size
        scale = gain[first]  # the base is the first filter of its orbit
        return basis * scale.view(-1, 1, 1, 1), gain / scale[self.orbit]
