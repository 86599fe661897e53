"""`Gates`: a learned weight for each element of a group, so that a network can keep a group in part."""

import torch
from torch import Tensor, nn

from lgn.groups import Group

SPEED = 5.0  # gates travel from their start to open or closed in a hundred steps of Adam
OPEN = 0.5  # beyond it an element is kept

# Note [Gates]
# The answers of a network that takes the largest response over all elements of a group do not change when an image is
# moved by any of them. If images keep turns within 45 degrees alone, that is too much: 6 and 9 become one. A layer on
# sets loses nothing, for it moves its answers along; what forgets is the maximum, so that is where gates are. Over a
# range S of elements, all that are at most so many steps of the generator away from the identity, the network answers
# `f_S(x) = head(max over g in S of z_g(x))`. How wide the range is, nobody said: each has a probability, and what is
# minimised is the loss to be expected, `sum over S of P(S) loss(f_S)`. All ranges are there, so this has no noise but
# that of images, and its derivative says which range explains labels best. If images keep the whole group, narrow
# ranges lack images; if they keep none, wide ones only bring confusion. A price of wide ranges was tried: at 0.002 a
# step it closed 180 degrees on digits that are turned by any angle (seed 0). The gate of an element is the probability
# that the range has it. The identity is in every range, and so it is what filters learn to stand by; for that, gates
# stay as they start until the network has learned something: in trainings, for the first 40 % of them. Codes are not
# dropped just before the maximum: over more elements what is left out is missed less, and gates opened for that alone.
#
# With a gate for each pair of an element and its inverse, each by itself, digits within 45 degrees opened 135 degrees
# and closed 90, for the maximum over some elements more is nearly as good. Ranges leave that out.


class Gates(nn.Module):
    """The largest response over ranges of elements; how probable each range is, is learned. See Note [Gates].

    All ranges start with the same probability. The gate of an element is the probability that the range has it: 1 for
    the identity, and the same for an element and its inverse.

    Shapes: codes (N, K * p, ...), not negative -> (ranges, N, K, ...), the identity alone first, the whole group last
    """

    def __init__(
        self, group: Group, *, device: torch.device | str | None = None, dtype: torch.dtype | None = None
    ) -> None:
        super().__init__()
        if len(group.generators) != 1:
            raise ValueError(f"group must have one generator for gates, such as C8, got {group.name}")
        self.group = group
        (step,) = group.generator_elements
        powers = [0]
        while len(powers) < group.order:
            powers.append(int(group.table[powers[-1], step]))
        #: How many steps of the generator, or back, lead to each element.
        self.steps = [min(place, group.order - place) for place in (powers.index(g) for g in range(group.order))]
        self.shells = [[g for g in range(group.order) if self.steps[g] == far] for far in range(max(self.steps) + 1)]
        self.logits = nn.Parameter(torch.zeros(len(self.shells), device=device, dtype=dtype))

    def chances(self) -> Tensor:
        """The probability of each range, the narrowest first.  -> (ranges,)"""
        return torch.softmax(SPEED * self.logits, 0)

    def values(self) -> Tensor:
        """The gate of each element, in the order of the group's.  -> (p,)"""
        chances = self.chances()
        reached = 1 - (chances.cumsum(0) - chances)  # (ranges,): not in a narrower one; exactly 1 for the identity
        return torch.stack([reached[far] for far in self.steps])

    def by_word(self) -> dict[str, float]:
        """The gates by the words of elements, one of each with its inverse: {"e": 1.0, "r": 0.98, ...}."""
        values = self.values().tolist()
        return {self.group.words[shell[0]]: values[shell[0]] for shell in self.shells}

    def elements(self) -> list[int]:
        """The elements whose gates are open."""
        return [g for g, value in enumerate(self.values().tolist()) if value > OPEN]

    def pooled(self, codes: Tensor) -> Tensor:
        """The largest response over the elements whose gates are open.  (N, K * p, ...) -> (N, K, ...)"""
        elements = codes.unflatten(1, (-1, self.group.order))
        # Codes are not negative: what is not there is as 0. Not by numbers of elements, for exporters cannot read them.
        there = (self.values() > OPEN).to(codes.dtype)
        return (elements * there.view(-1, *(1,) * (codes.ndim - 2))).amax(2)

    def forward(self, codes: Tensor) -> Tensor:
        elements = codes.unflatten(1, (-1, self.group.order))
        ranges: list[Tensor] = []
        for shell in self.shells:
            farther = elements[:, :, shell].amax(2)
            ranges.append(torch.maximum(ranges[-1], farther) if ranges else farther)
        return torch.stack(ranges)

    def expected(self, losses: Tensor) -> Tensor:
        """The loss of each image that is to be expected.  (ranges, N) -> (N,)"""
        return self.chances() @ losses

    def extra_repr(self) -> str:
        return f"{self.group.name}, {len(self.shells)} ranges"
