"""Twins: whether the filters of a bank are each other's transformed copies, by the twist and by the gap."""

from typing import NamedTuple

import torch
from torch import Tensor

from lgn.discovery.networks.candidates import Candidate
from lgn.discovery.networks.gap import gap_test
from lgn.discovery.networks.twist import share_as_large, twisted

LEVEL = 0.05
GAP = 0.25  # nats that the first gap must be larger than those behind it; see Note [The gap] in `gap`


class TwinTest(NamedTuple):
    """Both tests of one candidate."""

    p_twist: float
    p_gap: float
    #: How much larger the first gap is than those behind it, in nats.
    gap: float
    #: Filters that have a transformed copy of cosine 0.8 in the bank, and how many twists have.
    alike: int
    alike_by_chance: float

    @property
    def p_value(self) -> float:
        """Both must agree: the larger of the two."""
        return max(self.p_twist, self.p_gap)

    @property
    def is_large(self) -> bool:
        return self.gap >= GAP


def twin_test(candidate: Candidate, cosines: Tensor, exponents: Tensor, generator: torch.Generator) -> TwinTest:
    """Both tests.  (powers, filters, filters), (1 + draws, filters)"""
    size = cosines if candidate.signed else cosines.abs()
    under = twisted(size, exponents, candidate.period)
    gap = gap_test(size[1], size[0], candidate.period == 2, len(exponents) - 1, generator)
    return TwinTest(
        share_as_large(under.nearness),
        gap.p_value,
        gap.size,
        int(under.alike[0]),
        float(under.alike[1:].double().mean()),
    )
