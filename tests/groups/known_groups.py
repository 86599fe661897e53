"""Groups of the tests."""

import torch
from torch import Tensor

from lgn import groups

NAMES = ["C1", "C2", "C4", "C6", "D2", "D3", "D4", "D6", "S3", "S4", "C2 x C2", "C2 x C3", "C2 x C2 x C3", "S3 x C2"]


def quaternion_units() -> tuple[Tensor, Tensor]:
    """Multiplication by i and by j, on (1, i, j, k)."""
    i = torch.tensor([[0.0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 0, -1], [0, 0, 1, 0]])
    j = torch.tensor([[0.0, 0, -1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, -1, 0, 0]])
    return i, j


def quaternion() -> groups.Group:
    """Q8, the units and their negatives."""
    return groups.from_matrices(quaternion_units(), names=["i", "j"]).group


def relabelled(group: groups.Group, seed: int) -> groups.Group:
    """The same group with other numbers of its elements, made from its table alone."""
    generator = torch.Generator().manual_seed(seed)
    number = torch.cat([torch.zeros(1, dtype=torch.long), 1 + torch.randperm(group.order - 1, generator=generator)])
    old = number.argsort()
    return groups.from_table(number[group.table[old][:, old]])
