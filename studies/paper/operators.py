"""The paper's controlled experiment (sec. 5.2): learn known operators from pairs of real patches.

Eleven settings: rotations by 30, 45, 60 and 90 degrees, average pooling of radius 3 to 6, and rotation by 60 degrees
after pooling of radius 4 to 6.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from lgn.actions import Patch, vec
from lgn.transforms import filters, operator, warps


@dataclass(frozen=True)
class Setting:
    """One transformation of the experiment: pooling (radius 1 is none), then rotation (0 is none)."""

    radius: int = 1
    degrees: float = 0.0

    @property
    def title(self) -> str:
        pooling, rotation = f"pooling {self.radius}", f"rotation {self.degrees:g}"
        if self.radius == 1:
            return rotation
        return pooling if self.degrees == 0 else f"{pooling} then {rotation}"

    def transform(self, x: Tensor) -> Tensor:
        """The transformation itself, on patches (..., n, m)."""
        x = filters.pool(x, self.radius) if self.radius > 1 else x
        return warps.rotate(x, self.degrees) if self.degrees else x

    def exact(self, patch: Patch) -> Tensor:
        """Its matrix from the catalogue, (d, d)."""
        return operator("pooling then rotation", patch, radius=self.radius, degrees=self.degrees)


SETTINGS: tuple[Setting, ...] = (
    *(Setting(degrees=degrees) for degrees in (30.0, 45.0, 60.0, 90.0)),
    *(Setting(radius=radius) for radius in (3, 4, 5, 6)),
    *(Setting(radius=radius, degrees=60.0) for radius in (4, 5, 6)),
)


def learned_operators(patches: Tensor, epochs: int = 40, seed: int = 0) -> Tensor:
    """Learn the settings from patches (N, n, m) by gradient descent, as the paper does.  -> (11, d, d)"""
    if patches.ndim != 3:
        raise ValueError(f"patches must be (N, n, m), got shape {tuple(patches.shape)}")
    patches = patches.double()
    after = torch.stack([vec(setting.transform(patches)) for setting in SETTINGS])  # (11, N, d)
    return gradient_descent(vec(patches), after, epochs, seed)


def gradient_descent(x: Tensor, y: Tensor, epochs: int, seed: int = 0, batch_size: int = 250) -> Tensor:
    """Linear layers A with `y = A x`, as the paper learns them: squared error, Adam, the rate halved three times.

    Adam scales every entry on its own, so S layers side by side learn as they would learn apart. They learn last the
    directions in which patches hardly vary.

    Shapes: x (N, d), y (S, N, d) -> (S, d, d)
    """
    d, inputs = x.shape[-1], x.float()
    targets = y.float().movedim(0, 1).flatten(1)  # (N, S d)
    random = torch.Generator().manual_seed(seed)
    # A linear layer starts uniform in +-1 / sqrt(d).
    weight = ((2 * torch.rand(targets.shape[1], d, generator=random) - 1) / math.sqrt(d)).requires_grad_()
    optimizer = torch.optim.Adam([weight], lr=0.01)
    milestones = [round(share * epochs) for share in (0.5, 0.75, 0.875)]
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones, gamma=0.5)
    for _ in range(epochs):
        for batch in torch.randperm(len(inputs), generator=random).split(batch_size):
            loss = (inputs[batch] @ weight.T - targets[batch]).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        scheduler.step()
    return weight.detach().double().unflatten(0, (-1, d))
