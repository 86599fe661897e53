"""The twist: each filter transformed by a power of T of its own, which keeps everything but who is whose twin."""

import math
from typing import NamedTuple

import torch
from torch import Tensor

ALIKE = 0.8  # the cosine from which two filters look like copies
NUMBERS = 2**18  # of twisted cosines at a time: they stay in a processor's cache

# Note [What a twist keeps]
# Each filter becomes `h_i f_i`, h_i drawn from the powers of T. Spectra, phases, colours and norms stay, and so does
# every filter's likeness to its own turned self: only which filter meets which, and how, is new. No filter needs to be
# made: `<T h_i f_i, h_j f_j> = K[1 + h_i - h_j]`. Banks with the same spectra and new phases, the obvious null, have no
# edges: every bank of real filters has more near-copies than they, of anything.
# A T without a period (shifts, scalings) is drawn as I or T, which meets the powers 0, 1 and 2.


def twists(period: int, filters: int, draws: int, generator: torch.Generator) -> Tensor:
    """The exponents h of each twist, the bank as it is first.  -> (1 + draws, filters)"""
    drawn = torch.randint(0, period or 2, (draws, filters), generator=generator)
    return torch.cat([torch.zeros(1, filters, dtype=torch.int64), drawn])


class Twisted(NamedTuple):
    """What a bank shows under each twist, the bank as it is first.  (1 + draws,) each"""

    #: `L_T = mean_i -log(1 - max_{j != i} K_T[i, j])`, over T and its inverse.
    nearness: Tensor
    #: How many filters have a T f_i of a cosine of at least 0.8 with another filter.
    alike: Tensor


def twisted(cosines: Tensor, exponents: Tensor, period: int) -> Twisted:
    """How near T f_i is to another filter of the bank, under each twist; see Note [What a twist keeps].

    Shapes: (powers, filters, filters), >= 0 where signs do not matter; (twists, filters).
    """
    filters = cosines.shape[-1]
    # Single precision: the comparisons of draws need no more, and a large bank has many.
    closeness = -torch.log1p(-cosines.clamp(max=1 - 1e-9)).float()
    closeness = closeness.masked_fill(torch.eye(filters, dtype=torch.bool), -torch.inf)
    involution = period == 2  # its cosines are symmetric: T f_i is as near to f_j as T f_j is to f_i
    reach = range(1, period) if period else (-1, 1)
    alike_from = -math.log1p(-ALIKE)
    nearness, alike = [], []
    for some in exponents.to(torch.int8).split(max(1, NUMBERS // filters**2)):
        apart = some[:, :, None] - some[:, None, :]  # (twists, i, j), without the period
        met = closeness[1].expand(len(some), -1, -1)
        for step in reach:
            here = apart != 0 if involution else (apart == step) | (apart == step - period)
            met = torch.where(here, closeness[(1 + step) % (period or 3)], met)
        there = met.amax(2)
        back = there if involution else met.amax(1)
        nearness.append((there.mean(1) + back.mean(1)) / 2)
        alike.append((there >= alike_from).sum(1))
    return Twisted(torch.cat(nearness), torch.cat(alike))


def share_as_large(values: Tensor) -> float:
    """The p-value of the first among all."""
    return float((values >= values[0] - 1e-6).double().mean())
