"""`Orthogonal`: rotations and reflections of the pixel space."""

import math
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils.parametrizations import orthogonal

from lgn.generators.base import Generator, require_invertible
from lgn.linalg import polar_factor
from lgn.measures import orthogonality_error

# Note [Rebasing]
# The Cayley map takes skew matrices to orthogonal ones, and is even only near its origin: far from it a step of one
# length moves some directions much and others hardly at all. A generator that travels far, as one that learns from a
# random start does, should have its origin moved along every 20 steps or so. In one run each on quarter-turned digits,
# of 32 starts of `orthogonal` none arrived without it (rate 0.15) and 17 with it (rate 0.2), the identity counted; not
# measured at one rate or over seeds. Adam goes on with its averages; near the origin they mean the same.


class OrthogonalWeight(nn.Module):
    """An orthogonal `weight` under torch's own parametrisation, that can be pickled.

    The Cayley map is trivialised at the start, so the weight keeps the sign of its determinant for ever: the special
    orthogonal group is connected, and its other half is its image under one reflection.
    """

    def __init__(self, weight: Tensor) -> None:
        super().__init__()
        self.weight = nn.Parameter(weight.clone(memory_format=torch.contiguous_format))
        orthogonal(self, "weight", orthogonal_map="cayley", use_trivialization=True)

    def forward(self) -> Tensor:
        return self.weight

    @torch.no_grad()
    def rebase_(self) -> None:
        """Make the present weight the origin of its coordinates. See Note [Rebasing]."""
        # torch's parametrisation is trivialised at what it is given.
        self.weight = self.weight.detach().clone()  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        # torch refuses to pickle parametrised modules: they are made anew and given their numbers back.
        with torch.no_grad():
            return _restore, (self.weight.detach().clone(), self.state_dict(), self.training)


def _restore(weight: Tensor, state: dict[str, Tensor], training: bool) -> OrthogonalWeight:
    module = OrthogonalWeight(weight)
    module.load_state_dict(state)
    return module.train(training)


class Orthogonal(Generator):
    """`A^T A = I` (app. B: the Stiefel manifold).

    A start is projected exactly, to its polar factor; it must be invertible, or the factor is not unique.
    """

    name = "orthogonal"
    law = "A^T A = I"

    def _start_from(self, start: Tensor) -> None:
        require_invertible(start, "Orthogonal")
        self.rotation = OrthogonalWeight(polar_factor(start))

    def matrix(self) -> Tensor:
        return self.rotation()

    def rebase_(self) -> None:
        self.rotation.rebase_()

    def determined(self, bases: int) -> int:
        known, d = super().determined(bases), math.prod(self.patch)
        return d if known >= d - 1 else known  # of one dimension that is left the sign is kept

    @torch.no_grad()
    def law_error(self) -> Tensor:
        return orthogonality_error(self.matrix())
