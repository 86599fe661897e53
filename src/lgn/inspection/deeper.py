"""Deeper layers: whether a permutation of channels goes with a transformation from one layer to the next."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from lgn.inspection.bank import prepare
from lgn.inspection.candidates import SQUARE, Candidate
from lgn.inspection.twins import LEVEL, holm

DRAWS = 199
LARGE = 0.1  # that the cosine must be above that of chance
MOST = 160  # filters of a layer: assignments of more take their time
RINGS = 4  # of channels, by their norm

# Note [What the next layer must do]
# Where a network is equivariant under T, its first filters are permuted by it, `T f_i = f_pi(i)`, and a filter of the
# next layer that is turned, with its channels permuted by the same pi, is a filter of that layer: `T w_o[c] =
# w_pi'(o)[pi(c)]`. The first layer gives pi, by the assignment of largest cosines; the next one is then asked. In the
# null pi is followed by a permutation of channels that are about as strong (within quarters of their norms), with the
# assignment of outputs solved anew: everything stays but which channel belongs to which.
# A copy of the other sign is followed by a rectifier as a rule, and then says something else than its twin: signs are
# given to the next layer's channels, which a rectifier between the two would not.


@dataclass(frozen=True)
class Carried:
    """Whether one transformation goes on from a layer to the next."""

    first: str
    second: str
    name: str
    carried: bool
    #: The mean cosine of the second layer's filters with their images, and of those of permuted channels.
    cosine: float
    cosine_by_chance: float
    #: Corrected (Holm) for the transformations that were asked.
    p_value: float


def carried(
    first: Tensor, second: Tensor, names: tuple[str, str] = ("first", "second"), *, seed: int = 0
) -> tuple[Carried, ...]:
    """Which transformations take the second of two layers to itself as the first says they must.

    See Note [What the next layer must do].

    Shapes: (filters, channels, n, m), (outputs, filters, k, l)
    """
    if second.ndim != 4 or second.shape[1] != first.shape[0]:
        raise ValueError(
            f"second must have the {first.shape[0]} filters of first as its channels, got shape {tuple(second.shape)}"
        )
    bank = prepare(first)
    is_square = bank.filters.shape[-2] == bank.filters.shape[-1] and second.shape[-2] == second.shape[-1]
    generator = torch.Generator().manual_seed(seed)
    weights = F.normalize(second.detach().double().flatten(1), dim=1).reshape(second.shape)[:, bank.numbers]
    rings = _rings(weights)
    asked = [each for each in SQUARE if is_square or not each.swaps]
    found = [_one(each, bank.filters, weights, rings, generator) for each in asked]
    corrected = holm([p for _, _, p in found])
    return tuple(
        Carried(*names, each.name, p <= LEVEL and cosine >= chance + LARGE, cosine, chance, p)
        for each, (cosine, chance, _), p in zip(asked, found, corrected, strict=True)
    )


def _one(
    candidate: Candidate, filters: Tensor, weights: Tensor, rings: list[Tensor], generator: torch.Generator
) -> tuple[float, float, float]:
    """The cosine, that of chance, and how often chance has as much."""
    cosines = candidate.cosines(filters)[1]
    to = _assignment(cosines.abs())
    signs = cosines[torch.arange(len(to)), to].sign()
    turned = candidate.power(weights, 1) * signs.view(1, -1, 1, 1)
    values = []
    for draw in range(1 + DRAWS):
        # The channel c of a turned filter belongs at place pi(c).
        place = to if draw == 0 else _within(rings, generator)[to]
        moved = torch.empty_like(turned)
        moved[:, place] = turned
        likeness = moved.flatten(1) @ weights.flatten(1).T
        values.append(float(likeness[torch.arange(len(likeness)), _assignment(likeness)].mean()))
    sample = torch.tensor(values)
    return values[0], float(sample[1:].mean()), float((sample >= sample[0] - 1e-12).double().mean())


def _assignment(likeness: Tensor) -> Tensor:
    """The one-to-one assignment of rows to columns of the largest sum."""
    from scipy.optimize import linear_sum_assignment

    return torch.from_numpy(linear_sum_assignment(likeness.numpy(), maximize=True)[1])


def _rings(weights: Tensor) -> list[Tensor]:
    """Channels in quarters by their norm."""
    order = weights.square().sum((0, 2, 3)).argsort()
    return [ring for ring in order.chunk(RINGS) if len(ring)]


def _within(rings: list[Tensor], generator: torch.Generator) -> Tensor:
    """A permutation of the channels that stays within each ring."""
    permutation = torch.empty(sum(map(len, rings)), dtype=torch.int64)
    for ring in rings:
        permutation[ring] = ring[torch.randperm(len(ring), generator=generator)]
    return permutation
