"""`OrbitConv2d`: a convolution some of whose filters are turned and flipped copies of each other."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.actions import act
from lgn.nn.plain import plain_convolution
from lgn.transforms import parse_operator

ROUNDS = 10


class CopiedFilters(NamedTuple):
    """An orbit in a convolution: its filters, and what each is of the base, by name ("turn 90", "flip rows")."""

    filters: tuple[int, ...]
    elements: tuple[str, ...]


class OrbitConv2d(nn.Module):
    """A convolution whose filters are `a_k g_k(b)` for orbits of a base b, and free where they are in none.

    Elements g are turns and flips of a window of the kernel, known and not learned; outside the window copies are 0.
    It is made from a plain convolution: each base is the mean of what the filters of its orbit are copies of, and each
    gain a_k, with its sign, the best for its filter.

    Shapes: as those of the convolution; `basis` (orbits, channels, n, m), `gain` (copies,), `free` (others, ...).
    """

    elements: Tensor
    orbit: Tensor
    place: Tensor

    def __init__(self, plain: nn.Conv2d, orbits: Sequence[CopiedFilters], window: tuple[int, int, int, int]) -> None:
        super().__init__()
        self.window = window
        self.in_channels, self.out_channels, self.kernel_size = plain.in_channels, plain.out_channels, plain.kernel_size
        self.stride, self.dilation, self.groups = plain.stride, plain.dilation, plain.groups
        self.padding, self.padding_mode = plain.padding, plain.padding_mode
        self.margins = list(plain._reversed_padding_repeated_twice)  # left, right, top, bottom
        weight = plain.weight.detach()
        top, bottom, left, right = window
        patch = (bottom - top + 1, right - left + 1)
        copies = [
            (orbit, number, name) for orbit, each in enumerate(orbits) for number, name in zip(*each, strict=True)
        ]
        inside = {number for _, number, _ in copies}
        others = [number for number in range(len(weight)) if number not in inside]
        self.register_buffer("orbit", torch.tensor([orbit for orbit, _, _ in copies]))
        self.register_buffer("place", torch.tensor([*(number for _, number, _ in copies), *others]).argsort())
        names = sorted({name for _, _, name in copies})
        matrices = torch.stack([parse_operator(name, patch) for name in names]).to(weight)
        self.register_buffer("elements", matrices[torch.tensor([names.index(name) for _, _, name in copies])])
        given = weight[[number for _, number, _ in copies]][..., top : bottom + 1, left : right + 1]
        basis, gain = self._fit(given)
        self.basis, self.gain = nn.Parameter(basis), nn.Parameter(gain)
        self.free = nn.Parameter(weight[others].clone())
        self.bias = None if plain.bias is None else nn.Parameter(plain.bias.detach().clone())

    def filters(self) -> Tensor:
        """The bank, in the order of the plain convolution.  (filters, channels, n, m)"""
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
        return plain_convolution(nn.Conv2d, self, self.filters(), self.bias)

    def extra_repr(self) -> str:
        return f"{len(self.gain)} filters in {len(self.basis)} orbits, {len(self.free)} free"

    def _fit(self, given: Tensor) -> tuple[Tensor, Tensor]:
        """The base and gains of least squares, by turns: each is exact where the other is known."""
        back = act(self.elements.mT.unsqueeze(1), given)  # an element is a permutation: its transpose undoes it
        gain = given.flatten(1).norm(dim=1)
        first = torch.stack([(self.orbit == k).nonzero()[0, 0] for k in range(int(self.orbit.max()) + 1)])
        gain = gain * (back * back[first][self.orbit]).sum((1, 2, 3)).sign()
        for _ in range(ROUNDS):
            sums = torch.zeros_like(back[first]).index_add_(0, self.orbit, gain.view(-1, 1, 1, 1) * back)
            basis = sums / torch.zeros_like(gain[first]).index_add_(0, self.orbit, gain**2).view(-1, 1, 1, 1)
            size = basis.flatten(1).square().sum(1)[self.orbit]
            gain = (back * basis[self.orbit]).sum((1, 2, 3)) / size
        scale = gain[first]  # the first filter of an orbit is its base as it is
        return basis * scale.view(-1, 1, 1, 1), gain / scale[self.orbit]
