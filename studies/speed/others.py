"""The networks that the library's steps are timed against.

`StraightforwardClassifier` is what a reader of the paper would write first: a loop over sets and elements for the
filters, a loop over generators for the penalty, torch's own convolutions and batch normalisation, autograd for the
rest, and plain Adam. With `released` it has the additions of the authors' code: momentum, a generator for each
channel, and unit norms after every step. `authors_step` uses the authors' own class.
"""

import math
import runpy
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock, patch

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.actions import act
from lgn.generators.starts import start_matrices
from studies.speed.steps import Shape, looped_inverse, training_step


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
            elements.append(basis)
            for _ in range(self.order - 1):
                elements.append(act(generator, elements[-1]))
        return torch.stack(elements)

    def forward(self, z: Tensor, x: Tensor, step: float) -> Tensor:
        w = self.filters()
        residual = x - F.conv_transpose2d(z, w, padding=1)
        return F.relu(z + step * F.conv2d(residual, w, padding=1) - step * self.threshold.view(-1, 1, 1))


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
        terms = [looped_inverse(layer.generators, layer.inverses) for layer in self.layers]  # type: ignore[arg-type]
        return torch.stack(terms).sum()

    @torch.no_grad()
    def project(self) -> None:
        """Unit norms of bases and generators."""
        for layer in self.layers:
            for matrix in (*layer.bases, *layer.generators):  # type: ignore[misc]
                matrix.div_(torch.linalg.matrix_norm(matrix, keepdim=True))


def straightforward_step(shape: Shape, *, released: bool = False) -> Callable[[], Tensor]:
    """A training step as a reader of the paper, or of its code, would write it first."""
    model = StraightforwardClassifier(shape[0], released=released)

    def objective(images: Tensor, labels: Tensor) -> Tensor:
        return F.cross_entropy(model(images), labels) + 1e-3 * model.penalty()

    after = model.project if released else lambda: None
    return training_step(objective, model.parameters(), shape, after=after)


CLASS = "LearnGroupAction_inv"  # FISTA, a generator a channel, auxiliary inverses


def authors_step(directory: Path, shape: Shape) -> Callable[[], Tensor]:
    """Forward, penalty, backward, clip, Adam and projection with the model of `directory / "model.py"`.

    The authors' code is no part of this library. It is run, so the directory must be one that you trust.
    """
    channels, height, width = shape
    settings = SimpleNamespace(
        **{"group_size": 4, "n_groups": 5, "kernel_size": 6, "stride": 1, "n_layers": 4, "eta": 0.01, "pool_size": 4},
        **{"n_classes": 10, "n_channels": channels, "input_height": height, "input_width": width},
    )
    model = _class_of(directory)(settings, "cpu")

    def objective(images: Tensor, labels: Tensor) -> Tensor:
        return F.cross_entropy(model(images)[0], labels) + 1e-4 * looped_inverse(model.A, model.A_inv)

    return training_step(objective, model.parameters(), shape, after=torch.no_grad()(model.normalize))


def _class_of(directory: Path) -> Any:
    path = directory / "model.py"
    if not path.is_file():
        raise ValueError(f"authors must be a directory with the authors' model.py, got {directory}")
    # The module imports torchvision for other classes. It is not installed next to a CPU build of torch.
    missing = ("torchvision", "torchvision.transforms", "torchvision.transforms.functional")
    replaced = {} if find_spec("torchvision") else {name: MagicMock() for name in missing}
    with patch.dict(sys.modules, replaced):
        names = runpy.run_path(str(path))
    if CLASS not in names:
        raise ValueError(f"authors must have a model.py with {CLASS}, got {path}")
    return names[CLASS]
