"""Deeper layers: whether a permutation of channels goes with a transformation from one layer to the next."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from lgn.discovery.networks.balance import cosine_basis, random_signs
from lgn.discovery.networks.bank import prepare
from lgn.discovery.networks.candidates import SQUARE, Candidate
from lgn.discovery.networks.twins import LEVEL
from lgn.linalg import assignment
from lgn.stats import holm

DRAWS = 299
LARGE = 0.1  # that the cosine must be above that of chance
MOST = 160  # filters of a layer: assignments of more take their time
RINGS = 4  # of channels, by their norm

# Note [What the next layer must do]
# Where a network is equivariant under T, its first filters are permuted by it, `T f_i = f_pi(i)`, and a filter of the
# next layer that is turned, with its channels permuted by the same pi, is a filter of that layer: `T w_o[c] =
# w_pi'(o)[pi(c)]`. The first layer gives pi, by the assignment of largest cosines; the next one is then asked, with the
# assignment of its outputs solved.
# Two nulls, and both must be passed. In one, pi is followed by a permutation of the channels that it moves, among those
# that are about as strong (within quarters of their norms); the others are filters that are their own copies, and prove
# nothing. In the other, pi comes from an operator that is as smooth as T (see Note [Balance needs a reference]): such
# assignments also lead from a filter to one that resembles it, and what resembles is used alike.
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
    # A turn and its inverse are one question.
    asked = [each for each in SQUARE if (is_square or not each.swaps) and each.name != "turn 270"]
    found = [_one(each, bank.filters, weights, generator) for each in asked]
    corrected = holm([p for _, _, p in found])
    return tuple(
        Carried(*names, each.name, p <= LEVEL and cosine >= chance + LARGE, cosine, chance, p)
        for each, (cosine, chance, _), p in zip(asked, found, corrected, strict=True)
    )


def _one(
    candidate: Candidate, filters: Tensor, weights: Tensor, generator: torch.Generator
) -> tuple[float, float, float]:
    """The cosine, that of chance, and how often chance has as much."""
    turned = candidate.power(weights, 1)
    cosines = candidate.cosines(filters)[1]
    to = assignment(cosines.abs())
    found = _likeness(turned, weights, to, cosines)
    rings = _rings(weights, (to != torch.arange(len(to))).nonzero().flatten())
    permuted = [_likeness(turned, weights, _within(rings, len(to), generator)[to], cosines) for _ in range(DRAWS)]
    others = _smooth(candidate, filters, generator)
    smooth = [_likeness(turned, weights, assignment(each.abs()), each) for each in others]
    nulls = [torch.tensor(values) for values in (permuted, smooth)]
    p = max(float((1 + (null >= found - 1e-12).sum()) / (1 + DRAWS)) for null in nulls)
    return found, max(float(null.mean()) for null in nulls), p


def _likeness(turned: Tensor, weights: Tensor, to: Tensor, cosines: Tensor) -> float:
    """The mean cosine of filters with their images, the channel c of a turned filter being at place to(c)."""
    signs = cosines[torch.arange(len(to)), to].sign()
    moved = torch.empty_like(turned)
    moved[:, to] = turned * signs.view(1, -1, 1, 1)
    likeness = moved.flatten(1) @ weights.flatten(1).T
    return float(likeness[torch.arange(len(likeness)), assignment(likeness)].mean())


def _smooth(candidate: Candidate, filters: Tensor, generator: torch.Generator) -> Tensor:
    """The cosines of `Q f_i` with `f_j` for operators Q as smooth as T.  -> (draws, filters, filters)"""
    n, m = filters.shape[-2:]
    waves = cosine_basis(n, m)
    spectra = filters.flatten(2) @ waves.T
    first = filters.mT.flatten(2) @ waves.T if candidate.swaps else spectra
    signs = random_signs(DRAWS, n * m, generator)
    return torch.stack([(first * sign).flatten(1) @ spectra.flatten(1).T for sign in signs])


def _rings(weights: Tensor, channels: Tensor) -> list[Tensor]:
    """Channels in quarters by their norm."""
    order = channels[weights.square().sum((0, 2, 3))[channels].argsort()]
    return [ring for ring in order.chunk(RINGS) if len(ring)]


def _within(rings: list[Tensor], channels: int, generator: torch.Generator) -> Tensor:
    """A permutation of the channels that stays within each ring."""
    permutation = torch.arange(channels)
    for ring in rings:
        permutation[ring] = ring[torch.randperm(len(ring), generator=generator)]
    return permutation
