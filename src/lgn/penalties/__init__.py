"""What generators are encouraged to be while they are trained (sec. 4.1, app. B), and to keep.

A penalty is built on a model, finds its generators, and returns one scalar. It holds what only training needs, so
nothing of it is in the model's `state_dict`. Each is one batched computation over all generators of a size.
"""

from lgn.penalties.algebraic import (
    AuxiliaryInverse,
    Closure,
    LogDeterminant,
    Orthogonality,
    Relations,
    SingularValues,
)
from lgn.penalties.base import Penalty
from lgn.penalties.kept_moments import KeptMoments
from lgn.penalties.patch_moments import PatchMoments

__all__ = [
    "AuxiliaryInverse",
    "Closure",
    "KeptMoments",
    "LogDeterminant",
    "Orthogonality",
    "PatchMoments",
    "Penalty",
    "Relations",
    "SingularValues",
]
