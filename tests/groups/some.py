"""Groups that the tests of this room run over."""

import torch
from torch import Tensor

from lgn import groups

NAMES = [
    "cyclic:1",
    "cyclic:2",
    "cyclic:4",
    "cyclic:6",
    "dihedral:2",
    "dihedral:3",
    "dihedral:4",
    "dihedral:6",
    "symmetric:3",
    "symmetric:4",
    "product:cyclic:2,cyclic:2",
    "product:cyclic:2,cyclic:3",
    "product:cyclic:2,cyclic:2,cyclic:3",
    "product:symmetric:3,cyclic:2",
]


def quaternion_units() -> tuple[Tensor, Tensor]:
    """Multiplication by i and by j, on (1, i, j, k)."""
    i = torch.tensor([[0.0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 0, -1], [0, 0, 1, 0]])
    j = torch.tensor([[0.0, 0, -1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, -1, 0, 0]])
    return i, j


def quaternion() -> groups.Group:
    """Q8, the units and their negatives."""
    return groups.from_matrices(quaternion_units(), names=["i", "j"])


def relabelled(group: groups.Group, seed: int) -> groups.Group:
    """The same group, its elements numbered otherwise, by its table alone."""
    generator = torch.Generator().manual_seed(seed)
    number = torch.cat([torch.zeros(1, dtype=torch.long), 1 + torch.randperm(group.order - 1, generator=generator)])
    old = number.argsort()
    return groups.from_table(number[group.table[old][:, old]])
