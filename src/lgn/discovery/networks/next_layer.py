"""From layer to layer: whether the next layer transforms as the filters of the first layer are permuted."""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from lgn.discovery.networks.balance import cosine_basis, random_signs
from lgn.discovery.networks.copies import LEVEL
from lgn.discovery.networks.filter_bank import prepare
from lgn.discovery.networks.questions import Question, exchanges_axes, symmetries_of
from lgn.linalg import assignment
from lgn.stats import holm

DRAWS = 299
#: How much the cosine must exceed its mean by chance.
LARGE = 0.1
#: The largest layer that is tested: assignments of more filters are slow.
MOST = 160
#: The number of parts into which channels are divided by their norm.
PARTS = 4

# Note [The next layer]
# If a network is equivariant under T, T permutes the filters of the first layer, `T f_i = f_pi(i)`. A filter of the
# next layer that is transformed, with its channels permuted by the same pi, is another filter of that layer: `T w_o[c]
# = w_pi'(o)[pi(c)]`. The first layer gives pi as the assignment with the largest cosines, and pi' is solved for.
# Both of two null models must be rejected. In the first, pi is followed by a random permutation of the channels that
# pi moves, among channels of similar strength; channels that pi leaves in place prove nothing. In the second, pi
# belongs to a random operator that is as smooth as T (see Note [Balance needs a reference]): such assignments also lead
# from a filter to a similar filter, and similar filters are used similarly.
# Copies may have the opposite sign, and then the channels of the next layer get that sign. A rectifier between the
# layers would not allow that.


class Continuation(NamedTuple):
    """Whether a transformation continues to the next layer, and the mean cosine of its filters with their images."""

    name: str
    continues: bool
    cosine: float


def continuations(first: Tensor, second: Tensor, *, seed: int = 0) -> list[Continuation]:
    """Which transformations map the second layer to itself as the first layer requires; see Note [The next layer].

    Shapes: (filters, channels, n, m), (outputs, filters, k, l)
    """
    bank, is_square = prepare(first), second.shape[-2] == second.shape[-1]
    generator = torch.Generator().manual_seed(seed)
    weights = F.normalize(second.detach().cpu().double().flatten(1), dim=1).reshape(second.shape)[:, bank.numbers]
    asked = [
        question
        for question in symmetries_of(bank.patch)
        if not question.repeats and (is_square or not exchanges_axes(question.element))
    ]
    found = [_ask(question, bank.filters, weights, generator) for question in asked]
    corrected = holm([p for _, _, p in found])
    return [
        Continuation(question.transformation.name, p <= LEVEL and cosine >= chance + LARGE, cosine)
        for question, (cosine, chance, _), p in zip(asked, found, corrected, strict=True)
    ]


def _ask(
    question: Question, filters: Tensor, weights: Tensor, generator: torch.Generator
) -> tuple[float, float, float]:
    """The cosine, its mean by chance, and the p-value: the larger values of the two null models."""
    moved, cosines = question.power(weights, 1), question.cosines(filters)[1]
    to = assignment(cosines.abs())
    found = _likeness(moved, weights, to, cosines)
    changed = (to != torch.arange(len(to))).nonzero().flatten()
    permuted = [_likeness(moved, weights, _permutation(weights, changed, generator)[to], cosines) for _ in range(DRAWS)]
    others = _smooth_operators(exchanges_axes(question.element), filters, generator)
    smooth = [_likeness(moved, weights, assignment(other.abs()), other) for other in others]
    nulls = [torch.tensor(values) for values in (permuted, smooth)]
    p = max(float((1 + (null >= found - 1e-12).sum()) / (1 + DRAWS)) for null in nulls)
    return found, max(float(null.mean()) for null in nulls), p


def _likeness(moved: Tensor, weights: Tensor, to: Tensor, cosines: Tensor) -> float:
    """The mean cosine of filters with their images; channel c of a transformed filter goes to channel to(c)."""
    signs = cosines[torch.arange(len(to)), to].sign()
    images = torch.empty_like(moved)
    images[:, to] = moved * signs.view(1, -1, 1, 1)
    likeness = images.flatten(1) @ weights.flatten(1).T
    return float(likeness[torch.arange(len(likeness)), assignment(likeness)].mean())


def _smooth_operators(exchanges: bool, filters: Tensor, generator: torch.Generator) -> Tensor:
    """The cosines of `Q f_i` with `f_j` for random operators Q as smooth as T.  -> (draws, filters, filters)"""
    n, m = filters.shape[-2:]
    waves = cosine_basis(n, m)
    spectra = filters.flatten(2) @ waves.T
    first = filters.mT.flatten(2) @ waves.T if exchanges else spectra
    signs = random_signs(DRAWS, n * m, generator)
    return torch.stack([(first * sign).flatten(1) @ spectra.flatten(1).T for sign in signs])


def _permutation(weights: Tensor, channels: Tensor, generator: torch.Generator) -> Tensor:
    """A random permutation of some channels, among those of similar norm."""
    permutation = torch.arange(weights.shape[1])
    order = channels[weights.square().sum((0, 2, 3))[channels].argsort()]
    for part in order.chunk(PARTS):
        permutation[part] = part[torch.randperm(len(part), generator=generator)]
    return permutation
