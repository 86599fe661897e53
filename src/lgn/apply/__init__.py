"""Uses of a symmetry, given by an `Action`: augmentation, symmetrised models, networks and layers."""

from lgn.apply.action import IDENTITY, Action, action_of
from lgn.apply.augment import Augmentation
from lgn.apply.equivariant import exact_matrices, network
from lgn.apply.layer_arguments import layer_options
from lgn.apply.symmetrise import Symmetrised

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
