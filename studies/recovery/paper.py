"""The paper's own setting on the same tasks: a dense generator per set, the inverse penalty, backpropagation."""

from collections.abc import Callable

import torch
from torch import Tensor

from lgn.nn import OrbitBank
from lgn.penalties import AuxiliaryInverse

LEARNING_RATE = 1e-2


def train_bank(
    sets: int, order: int, patch: tuple[int, int], loss: Callable[[Tensor], Tensor], steps: int, seed: int
) -> OrbitBank:
    """Dense generators, one per set, and bases, by Adam on a loss of the filters (sets * order, 1, n, m)."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        bank = OrbitBank(1, sets, patch, group=order, generator="dense", share="set", dtype=torch.float64)
        penalty = AuxiliaryInverse(bank, weight=1e-3)
    optimizer = torch.optim.Adam([*bank.parameters(), *penalty.parameters()], lr=LEARNING_RATE)
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, [steps // 2, steps * 3 // 4, steps * 7 // 8], gamma=0.5)
    for _ in range(steps):
        optimizer.zero_grad()
        (loss(bank()) + penalty()).backward()
        optimizer.step()
        scheduler.step()
    return bank
