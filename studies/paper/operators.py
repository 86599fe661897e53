"""The paper's controlled experiment (sec. 5.2): learn known operators from pairs of real patches.

Eleven settings: rotations by 30, 45, 60 and 90 degrees, average pooling of radius 3 to 6, and rotation by 60 degrees
after pooling of radius 4 to 6.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from lgn.actions import Patch, vec
from lgn.transforms import filters, gradient_descent, operator, warps


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
    return gradient_descent(vec(patches), after, epochs=epochs, seed=seed).matrix
