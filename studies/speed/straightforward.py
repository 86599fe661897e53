"""What a reader of the paper would write first: the yardstick of the speed benchmark.

A loop over sets and elements for the filters, a loop over generators for the penalty, torch's own convolutions and
batch normalisation, autograd for the rest, and plain Adam. `released` has what the authors' code adds: momentum, a
generator for each channel, and unit norms after every step.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.actions import act
from lgn.generators.starts import start_matrices


class StraightforwardLayer(nn.Module):
    """One step of ISTA with K orbits of p filters."""

    def __init__(self, channels: int, num_sets: int, order: int, size: int, released: bool = False) -> None:
        super().__init__()
        self.order = order
        bases = [torch.randn(channels, size, size) for _ in range(num_sets)]
        self.bases = nn.ParameterList(w / torch.linalg.matrix_norm(w, keepdim=True) for w in bases)
        leading = (num_sets, channels if released else 1)
        starts = start_matrices("gaussian" if released else "orthogonal", leading, size * size)
        self.generators = nn.ParameterList(list(starts if released else starts[:, 0]))
        self.inverses = nn.ParameterList(torch.linalg.inv(a.detach()) for a in self.generators)
        self.threshold = nn.Parameter(torch.ones(num_sets * order))

    def filters(self) -> Tensor:
        elements = []
        for basis, generator in zip(self.bases, self.generators, strict=True):
            element = basis
            elements.append(element)
            for _ in range(self.order - 1):
                element = act(generator, element)
                elements.append(element)
        return torch.stack(elements)

    def forward(self, z: Tensor, x: Tensor, step: float) -> Tensor:
        w = self.filters()
        residual = x - F.conv_transpose2d(z, w, padding=1)
        return F.relu(z + step * F.conv2d(residual, w, padding=1) - step * self.threshold.view(-1, 1, 1))

    def penalty(self) -> Tensor:
        terms = [
            torch.linalg.matrix_norm(a @ inverse - torch.eye(a.shape[-1])).sum()
            for a, inverse in zip(self.generators, self.inverses, strict=True)
        ]
        return torch.stack(terms).sum()


class StraightforwardClassifier(nn.Module):
    """The paper's network, written plainly."""

    def __init__(
        self,
        channels: int,
        num_layers: int = 4,
        num_sets: int = 5,
        order: int = 4,
        size: int = 6,
        step: float = 0.01,
        released: bool = False,
    ) -> None:
        super().__init__()
        self.step, self.size, self.count, self.released = step, size, num_sets * order, released
        self.layers = nn.ModuleList(
            StraightforwardLayer(channels, num_sets, order, size, released) for _ in range(num_layers)
        )
        self.norms = nn.ModuleList(nn.BatchNorm2d(self.count) for _ in range(num_layers - 1))
        self.head = nn.Linear(self.count * 16, 10)

    def forward(self, x: Tensor) -> Tensor:
        height, width = (side + 2 - self.size + 1 for side in x.shape[-2:])
        z = u = x.new_zeros(len(x), self.count, height, width)
        momentum = 1.0
        for number, layer in enumerate(self.layers):
            previous, z = z, layer(u, x, self.step)
            u = z
            if self.released:
                ahead = (1 + math.sqrt(1 + 4 * momentum**2)) / 2
                u = z + (momentum - 1) / ahead * (z - previous)
                momentum = ahead
            if number < len(self.norms):
                u = self.norms[number](u)
        return self.head(F.adaptive_avg_pool2d(z, 4).flatten(1))

    def penalty(self) -> Tensor:
        return torch.stack([layer.penalty() for layer in self.layers]).sum()  # type: ignore[operator]

    @torch.no_grad()
    def project(self) -> None:
        """Unit norms of bases and generators."""
        for layer in self.layers:
            for matrix in (*layer.bases, *layer.generators):  # type: ignore[misc]
                matrix.div_(torch.linalg.matrix_norm(matrix, keepdim=True))
