"""`Gates`: learned weights of the elements of a group, for networks that are invariant to a part of a group."""

import torch
from torch import Tensor, nn

from lgn.groups import Group

SPEED = 5.0  # gates travel from their start to open or closed in a hundred steps of Adam
OPEN = 0.5  # gates above it are open

# Note [Gates]
# A network that takes the largest response over all elements of a group is invariant to the whole group. If images are
# turned by at most 45 degrees, that is too much: 6 and 9 look the same. Layers on sets lose nothing, because they move
# their codes along. Only the maximum forgets, so the gates are there. For a range S, all elements at most s steps of
# the generator away from the identity, the network is `f_S(x) = head(max over g in S of z_g(x))`. Every range has a
# probability, and training minimises the expected loss, `sum over S of P(S) loss(f_S)`, a sum over all ranges, whose
# derivative has no noise apart from that of the images. If images are invariant to the whole group, narrow ranges lack
# images; if they are not, wide ranges confuse classes. The identity is in every range, so filters learn to stand
# upright at the identity. For this, gates are held at their start for the first 40 % of a training.
#
# Dropout just before the maximum would open gates, because a maximum over more elements suffers less from it. With
# independent gates for every element, gates that are not a range opened, because a maximum over a few more elements is
# nearly as good.


class Gates(nn.Module):
    """The largest response over ranges of elements, and a learned probability of every range. See Note [Gates].

    All ranges begin with the same probability. The gate of an element is the probability that the range contains it: 1
    for the identity, and equal for an element and its inverse.

    Shapes: codes (N, K * p, ...), not negative -> (ranges, N, K, ...), the identity alone first, the whole group last
    """

    def __init__(
        self, group: Group, *, device: torch.device | str | None = None, dtype: torch.dtype | None = None
    ) -> None:
        super().__init__()
        if len(group.generators) != 1:
            raise ValueError(f"group must have one generator for gates, such as C8, got {group.name}")
        self.group = group
        (generator,) = group.generator_elements
        powers = [0]
        while len(powers) < group.order:
            powers.append(int(group.table[powers[-1], generator]))
        #: The number of steps of the generator, forward or back, that lead to every element.
        self.steps = [min(power, group.order - power) for power in (powers.index(g) for g in range(group.order))]
        self.shells = [[g for g in range(group.order) if self.steps[g] == s] for s in range(max(self.steps) + 1)]
        self.logits = nn.Parameter(torch.zeros(len(self.shells), device=device, dtype=dtype))

    def probabilities(self) -> Tensor:
        """The probability of every range, the narrowest first.  -> (ranges,)"""
        return torch.softmax(SPEED * self.logits, 0)

    def values(self) -> Tensor:
        """The gate of every element, in the order of the group.  -> (p,)"""
        probabilities = self.probabilities()
        in_range = 1 - (probabilities.cumsum(0) - probabilities)  # (ranges,); exactly 1 for the identity
        return torch.stack([in_range[steps] for steps in self.steps])

    def by_word(self) -> dict[str, float]:
        """The gates by the words of elements, without inverses: {"e": 1.0, "r": 0.98, ...}."""
        values = self.values().tolist()
        return {self.group.words[shell[0]]: values[shell[0]] for shell in self.shells}

    def pooled(self, codes: Tensor) -> Tensor:
        """The largest response over the elements with open gates.  (N, K * p, ...) -> (N, K, ...)"""
        elements = codes.unflatten(1, (-1, self.group.order))
        # Codes are not negative, so a factor 0 excludes an element; exporters cannot read indices from values.
        is_open = (self.values() > OPEN).to(codes.dtype)
        return (elements * is_open.view(-1, *(1,) * (codes.ndim - 2))).amax(2)

    def forward(self, codes: Tensor) -> Tensor:
        elements = codes.unflatten(1, (-1, self.group.order))
        ranges: list[Tensor] = []
        for shell in self.shells:
            farther = elements[:, :, shell].amax(2)
            ranges.append(torch.maximum(ranges[-1], farther) if ranges else farther)
        return torch.stack(ranges)

    def expected(self, losses: Tensor) -> Tensor:
        """The expected loss of every image.  (ranges, N) -> (N,)"""
        return self.probabilities() @ losses

    def extra_repr(self) -> str:
        return f"{self.group.name}, {len(self.shells)} ranges"
