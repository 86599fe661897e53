"""The p-value of a fit: filters keep their place in the orbit and are dealt to the sets at random."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional as F

NUMBERS = 2**24  # the largest number of entries of shuffled banks in memory at a time

# Note [Only directions are shuffled]
# Norms of filters depend on their set (one set matters more than another) and on their place (A shrinks), and a place
# may have a mean filter of its own. All of this makes a bank easier to fit than one whose filters were moved freely,
# and none of it is a generator. Filters are therefore dealt to the sets within each place j of the orbit: a place keeps
# its filters, and only which filter follows which is lost. Norms must not move with the filters, and a filter must not
# take the norm of another filter either: norm and direction may belong together, if filters are longer the more they
# point along a mean filter. So only directions are compared: in the bank and in its shuffles, every channel of every
# filter has unit norm. The channels of a filter move together, because they are alike.
# A generator that is not orthogonal does not quite map directions linearly; the error is far below chance.


def chance_of_fit(filters: Tensor, shuffles: int, seed: int, unexplained: Callable[[Tensor], Tensor]) -> float:
    """The share of banks whose directions are fitted as well as those of the bank, which is counted too.

    `unexplained` is the residual of the fit of each bank: (banks, sets, order, channels, d) -> (banks,). A single set
    has nothing to be shuffled with: 1. See Note [Only directions are shuffled].

    Shapes: (sets, order, channels, d)
    """
    sets, order = filters.shape[:2]
    random = torch.Generator().manual_seed(seed)
    directions = F.normalize(filters, dim=-1)
    dealt = torch.rand(shuffles, sets, order, generator=random).argsort(1)
    dealt = torch.cat([torch.arange(sets).view(1, -1, 1).expand(1, sets, order), dealt])  # the bank itself first
    parts = dealt.split(max(1, NUMBERS // filters.numel()))
    residuals = torch.cat([unexplained(directions[part, torch.arange(order)]) for part in parts])
    return float((residuals <= residuals[0] + 1e-9).double().mean())  # equal up to rounding counts as equal
