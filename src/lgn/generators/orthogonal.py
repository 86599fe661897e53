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
# The Cayley map takes skew matrices to orthogonal matrices. Far from its origin, a step of a given length moves some
# directions much more than others. A generator that learns from a random start moves far, so its origin should follow
# about every 20 steps. The averages of Adam are kept, because they mean nearly the same near the new origin.


class OrthogonalWeight(nn.Module):
    """An orthogonal `weight` with torch's parametrisation, which can be pickled.

    The origin of the Cayley map is the start, so the weight keeps the sign of its determinant.
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
        # Assigning to a parametrised tensor makes the value the new origin.
        self.weight = self.weight.detach().clone()  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        # torch refuses to pickle parametrised modules: a new module gets the state instead.
        with torch.no_grad():
            return _restore, (self.weight.detach().clone(), self.state_dict(), self.training)


def _restore(weight: Tensor, state: dict[str, Tensor], training: bool) -> OrthogonalWeight:
    module = OrthogonalWeight(weight)
    module.load_state_dict(state)
    return module.train(training)


class Orthogonal(Generator):
    """`A^T A = I` (app. B: the Stiefel manifold).

    A start is projected exactly, to its polar factor. It must be invertible, otherwise the factor is not unique.
    """

    name = "orthogonal"
    guarantee = "A^T A = I"

    def _project(self, start: Tensor) -> None:
        require_invertible(start, "Orthogonal")
        self.rotation = OrthogonalWeight(polar_factor(start))

    def matrix(self) -> Tensor:
        return self.rotation()

    def rebase_(self) -> None:
        self.rotation.rebase_()

    def determined_dimension(self, bases: int) -> int:
        known, d = super().determined_dimension(bases), math.prod(self.patch)
        return d if known >= d - 1 else known  # in one remaining dimension A is a sign, which is kept

    @torch.no_grad()
    def guarantee_error(self) -> Tensor:
        return orthogonality_error(self.matrix())
