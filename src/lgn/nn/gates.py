"""`Gates`: a learned weight for each element of a group, so that a network can keep a group in part."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.groups import Group

PRICE = 0.05  # by what share of the loss an open gate must lower it, to stay open
SPEED = 5.0  # gates travel from one half to open or closed in a hundred steps of Adam
OPEN = 0.5  # beyond it an element is kept
MOST = 6  # pairs of elements: 64 sets of them

# Note [Gates]
# The answers of a network that takes the largest response over all elements of a group do not change when an image is
# moved by any of them. If images keep turns within 45 degrees alone, that is too much: 6 and 9 become one. A layer on
# sets loses nothing, for it moves its answers along; what forgets is the maximum, so that is where gates are. Over a
# set S of elements, the identity among them, the network answers `f_S(x) = head(max over g in S of z_g(x))`. An element
# g is in S with probability gate(g), each by itself, and what is minimised is the loss to be expected,
#     sum over S of P(S) loss(f_S),  times  1 + PRICE * (the sum of all gates).
# All sets are there, so this has no noise but that of images, and its derivative by a gate is how much better sets
# with g are than sets without it. If images keep the whole group, sets that lack an element lack images; if they keep
# none, elements only bring confusion; between the two there is a range. An element that does neither is closed by the
# price. g and g^-1 have one gate: if x moved by g is like x, so is x moved by g^-1. The identity is in every set: so
# it is what filters learn to stand by, where without it gates would fit any element as well. For that, gates stay at
# one half until the network has learned something: in trainings, for the first 40 % of them.


class Gates(nn.Module):
    """The largest response over sets of elements, each element there with a probability that is learned: its gate.

    All gates start alike, at one half; that of the identity is 1, and those of an element and its inverse are one. See
    Note [Gates].

    Shapes: codes (N, K * p, ...), not negative -> (sets of elements, N, K, ...)
    """

    def __init__(
        self, group: Group, *, device: torch.device | str | None = None, dtype: torch.dtype | None = None
    ) -> None:
        super().__init__()
        self.group = group
        inverses = group.inverses.tolist()
        #: The elements of each gate but the identity's: one and its inverse.
        self.pairs = [sorted({g, inverses[g]}) for g in range(1, group.order) if g <= inverses[g]]
        if len(self.pairs) > MOST:
            raise ValueError(
                f"group must have at most {MOST} pairs of an element and its inverse for gates, "
                f"got {group.name} with {len(self.pairs)}"
            )
        self.logits = nn.Parameter(torch.zeros(len(self.pairs), device=device, dtype=dtype))

    def values(self) -> Tensor:
        """The gate of each element, in the order of the group's.  -> (p,)"""
        gates = torch.sigmoid(SPEED * self.logits)
        several = {g: gates[number] for number, pair in enumerate(self.pairs) for g in pair}
        return torch.stack([several.get(g, gates.new_ones(())) for g in range(self.group.order)])

    def elements(self) -> list[int]:
        """The elements whose gates are open: beyond one half."""
        return [g for g, value in enumerate(self.values().tolist()) if value > OPEN]

    def pooled(self, codes: Tensor) -> Tensor:
        """The largest response over the elements whose gates are open.  (N, K * p, ...) -> (N, K, ...)"""
        elements = codes.unflatten(1, (-1, self.group.order))
        # Codes are not negative: what is not there is as 0. Not by numbers of elements, for exporters cannot read them.
        there = (self.values() > OPEN).to(codes.dtype)
        return (elements * there.view(-1, *(1,) * (codes.ndim - 2))).amax(2)

    def forward(self, codes: Tensor) -> Tensor:
        elements = codes.unflatten(1, (-1, self.group.order))
        sets = elements[:, :, 0].unsqueeze(0)
        for pair in self.pairs:
            sets = torch.cat([sets, torch.maximum(sets, elements[:, :, pair].amax(2))])
        return sets

    def chances(self) -> Tensor:
        """The probability of each set of elements, in the order of `forward`.  -> (sets,)"""
        chances = self.logits.new_zeros(1)
        for logit in SPEED * self.logits:
            chances = torch.cat([chances + F.logsigmoid(-logit), chances + F.logsigmoid(logit)])
        return chances.exp()

    def expected(self, losses: Tensor) -> Tensor:
        """The loss to be expected over sets of elements, with the price of open gates.  (sets, ...) -> (...)"""
        gates = torch.sigmoid(SPEED * self.logits)
        return torch.tensordot(self.chances(), losses, 1) * (1 + PRICE * gates.sum())

    def extra_repr(self) -> str:
        return f"{self.group.name}, {len(self.pairs)} gates"
