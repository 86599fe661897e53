"""The paper's controlled experiment (sec. 5.2): learn known operators from pairs of real patches, and compare.

Eleven settings: rotations by 30, 45, 60 and 90 degrees, average pooling of radius 3 to 6, and rotation by 60 degrees
after pooling of radius 4 to 6. Each is learned by gradient descent, as in the paper, and in closed form.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from lgn.algebra import vec
from lgn.measures import relative_error
from lgn.operators import filters, warps
from lgn.operators.describe import Description, describe
from lgn.operators.known import operator
from lgn.operators.learn import closed_form, gradient_descent


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

    def exact(self, patch: tuple[int, int]) -> Tensor:
        """Its matrix from the catalogue, (d, d)."""
        return operator("pooling then rotation", patch, radius=self.radius, degrees=self.degrees)


SETTINGS: tuple[Setting, ...] = (
    *(Setting(degrees=degrees) for degrees in (30.0, 45.0, 60.0, 90.0)),
    *(Setting(radius=radius) for radius in (3, 4, 5, 6)),
    *(Setting(radius=radius, degrees=60.0) for radius in (4, 5, 6)),
)


@dataclass(frozen=True)
class Outcome:
    """How well one setting was learned, and what its exact matrix is as a group element."""

    setting: Setting
    about: Description
    closed_form_error: float
    gradient_error: float
    #: Learned composition against learned rotation times learned pooling, where the setting is a composition.
    closed_form_product_error: float | None
    gradient_product_error: float | None


@dataclass(frozen=True)
class Study:
    """All settings on one set of patches."""

    patch: tuple[int, int]
    pairs: int
    #: The dimension of the span of the patches: below d nothing can be learned off it.
    rank: int
    epochs: int
    outcomes: tuple[Outcome, ...]
    closed_form: Tensor  # (11, d, d)
    gradient: Tensor  # (11, d, d)


def study(
    patches: Tensor, epochs: int = 40, seed: int = 0, progress: Callable[[int, float], None] | None = None
) -> Study:
    """Learn the eleven settings from patches (N, n, m); `progress(epoch, loss)` follows the gradient descent."""
    if patches.ndim != 3:
        raise ValueError(f"patches must be (N, n, m), got shape {tuple(patches.shape)}")
    patches = patches.double()
    patch = (patches.shape[1], patches.shape[2])
    x = vec(patches)
    y = torch.stack([vec(setting.transform(patches)) for setting in SETTINGS])  # (11, N, d)
    exactly = closed_form(x, y)
    slowly = gradient_descent(x, y, epochs=epochs, seed=seed, progress=progress)
    outcomes = []
    for index, setting in enumerate(SETTINGS):
        exact = setting.exact(patch)
        outcomes.append(
            Outcome(
                setting,
                describe(exact),
                float(relative_error(exactly.matrix[index], exact)),
                float(relative_error(slowly.matrix[index], exact)),
                _product_error(exactly.matrix, index),
                _product_error(slowly.matrix, index),
            )
        )
    return Study(patch, len(x), exactly.rank, epochs, tuple(outcomes), exactly.matrix, slowly.matrix)


def _product_error(learned: Tensor, index: int) -> float | None:
    """`|A_composition - A_rotation A_pooling| / |A_rotation A_pooling|`, all three learned."""
    setting = SETTINGS[index]
    if setting.radius == 1 or setting.degrees == 0:
        return None
    rotation = learned[SETTINGS.index(Setting(degrees=setting.degrees))]
    return float(relative_error(learned[index], rotation @ learned[SETTINGS.index(Setting(radius=setting.radius))]))
