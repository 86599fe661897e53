"""Soft constraints on generators in training: on the matrices (sec. 4.1, app. B), and on their effect on images.

A penalty is built on a model and returns one scalar. Nothing of it is in the `state_dict` of the model.
"""

from lgn.penalties.algebraic import (
    AuxiliaryInverse,
    Closure,
    LogDeterminant,
    Orthogonality,
    Penalty,
    Relations,
    SingularValues,
)
from lgn.penalties.kept_moments import KeptMoments, PatchMoments

__all__ = [
    "PENALTIES",
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

#: Penalties by name, for `lgn.training.Config`.
PENALTIES: dict[str, type[Penalty]] = {
    "inverse": AuxiliaryInverse,
    "singular-values": SingularValues,
    "log-determinant": LogDeterminant,
    "orthogonality": Orthogonality,
    "closure": Closure,
    "relations": Relations,
}
