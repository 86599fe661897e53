"""What chance fits: the same filters, each at its place of the orbit, in the sets of others."""

from collections.abc import Callable
from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional as F

FitShare = Literal["layer", "set"]
NUMBERS = 2**24  # of shuffled banks in memory at a time

# Note [Only directions can be shuffled]
# Norms of filters follow their set (one set matters more than another) and their place (A shrinks), and a place may
# have a mean filter of its own. All of that makes a bank easier to fit than one whose filters were moved about freely,
# and none of it is a generator. So within each place j of the orbit filters are dealt to the sets anew: a place keeps
# its filters, and only which of them follows which is lost. Norms must not move with them, and a filter must not take
# the norm of another either: norm and direction may belong together, as where filters are the longer the more they
# point along a mean filter. So the question is asked of directions: in the bank as in its shuffles, every channel of
# every filter has unit norm. The channels of a filter move together, for they are alike.
# A generator that is not orthogonal does not quite map directions linearly; what that leaves is far below chance.


def chance_of_fit(
    filters: Tensor,
    share: FitShare,
    shuffles: int,
    seed: int,
    unexplained: Callable[[Tensor, Tensor], Tensor],
    arrange: Callable[[Tensor], Tensor] | None = None,
    pairs: Callable[[Tensor, FitShare], tuple[Tensor, Tensor]] | None = None,
) -> float:
    """The share of banks whose directions are fitted as well: of all shuffled ones, and of the bank itself.

    `unexplained(before, after)` is what a fit leaves of pairs (banks, generators, d, pairs) -> (banks,); `arrange` puts
    the filters of one bank in order; `pairs` are those of elements that follow each other, unless told. A single set
    has nothing to be shuffled with: 1. See Note [Only directions can be shuffled].

    Shapes: (sets, order, channels, d)
    """
    sets, order = filters.shape[:2]
    random = torch.Generator().manual_seed(seed)
    directions = F.normalize(filters, dim=-1)
    dealt = torch.rand(shuffles, sets, order, generator=random).argsort(1)
    dealt = torch.cat([torch.arange(sets).view(1, -1, 1).expand(1, sets, order), dealt])  # the bank itself first
    left = []
    for some in dealt.split(max(1, NUMBERS // filters.numel())):
        banks = directions[some, torch.arange(order)]  # (banks, sets, order, channels, d)
        if arrange is not None:
            banks = torch.stack([arrange(bank) for bank in banks])
        left.append(unexplained(*(pairs or pairs_of)(banks, share)))
    residuals = torch.cat(left)
    return float((residuals <= residuals[0] + 1e-9).double().mean())  # as good as: rounding decides nothing


def pairs_of(banks: Tensor, share: FitShare) -> tuple[Tensor, Tensor]:
    """Elements j and j + 1 of all sets that share a generator, as columns.

    Shapes: (..., sets, order, channels, d) -> two of (..., sets or 1, d, pairs)
    """
    before, after = banks[..., :-1, :, :], banks[..., 1:, :, :]
    if share == "layer":
        before, after = (part.flatten(-4, -3).unsqueeze(-4) for part in (before, after))
    return before.flatten(-3, -2).mT, after.flatten(-3, -2).mT
