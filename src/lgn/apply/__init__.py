"""Uses of a symmetry, given by an `Action`: augmentation, symmetrised models, networks and layers."""

from lgn.apply.action import IDENTITY, Action, action_of
from lgn.apply.averaging import Augmentation, Symmetrised
from lgn.apply.equivariant import exact_matrices, layer_options, network

__all__ = [
    "IDENTITY",
    "Action",
    "Augmentation",
    "Symmetrised",
    "action_of",
    "exact_matrices",
    "layer_options",
    "network",
]
