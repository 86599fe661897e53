"""From layer to layer: whether the next layer continues a symmetry of the filters of a layer."""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from lgn.discovery.networks.balance import cosine_coefficients, random_signs
from lgn.discovery.networks.copies import LEVEL
from lgn.discovery.networks.filter_bank import make_bank
from lgn.discovery.networks.filter_maps import FilterMap, exchanges_axes, symmetries_of
from lgn.linalg import assignment
from lgn.stats import holm

DRAWS = 299
#: The smallest difference between the cosine and its mean by chance.
LARGE = 0.1
#: The largest number of filters of a layer that is tested: assignments of more filters are slow.
MOST = 160
#: The number of parts into which channels are divided by their norm.
PARTS = 4

# Note [The next layer]
# If a network is equivariant under T, T permutes the filters of the first layer, `T f_i = f_pi(i)`. T also permutes the
# filters of the next layer, if their channels are permuted by pi: `T w_o[c] = w_pi'(o)[pi(c)]`. Here pi is the
# assignment with the largest cosines between filters of the first layer, and pi' that between filters of the next one.
# Two null models must be rejected. In the first, pi is followed by a random permutation of the channels that pi moves,
# among channels of similar norm; channels that pi leaves in place prove nothing. In the second, pi belongs to a random
# operator that is as smooth as T (see Note [Balance needs a reference]): its assignments also lead from a filter to a
# similar filter, and the next layer uses similar filters similarly.
# A copy may have the opposite sign; then the channel of the next layer gets that sign.


class Continuation(NamedTuple):
    """Whether the next layer continues a transformation, and the mean cosine of its filters with their images."""

    name: str
    continues: bool
    cosine: float


def continuations(first: Tensor, second: Tensor, *, seed: int = 0) -> list[Continuation]:
    """The symmetries of the square, and whether the second layer continues them; see Note [The next layer].

    Shapes: (filters, channels, n, m), (outputs, filters, k, l)
    """
    bank, is_square = make_bank(first), second.shape[-2] == second.shape[-1]
    generator = torch.Generator().manual_seed(seed)
    weights = F.normalize(second.detach().cpu().double().flatten(1), dim=1).reshape(second.shape)[:, bank.numbers]
    tested = [
        filter_map
        for filter_map in symmetries_of(bank.patch)
        if not filter_map.is_inverse and (is_square or not exchanges_axes(filter_map.element))
    ]
    found = [_measure(filter_map, bank.filters, weights, generator) for filter_map in tested]
    corrected = holm([p for _, _, p in found])
    return [
        Continuation(filter_map.transformation.name, p <= LEVEL and cosine >= chance + LARGE, cosine)
        for filter_map, (cosine, chance, _), p in zip(tested, found, corrected, strict=True)
    ]


def _measure(
    filter_map: FilterMap, filters: Tensor, weights: Tensor, generator: torch.Generator
) -> tuple[float, float, float]:
    """The cosine, its mean by chance, and the p-value: the larger values of the two null models."""
    moved, cosines = filter_map.power(weights, 1), filter_map.cosines(filters)[1]
    targets = assignment(cosines.abs())
    found = _likeness(moved, weights, targets, cosines)
    changed = (targets != torch.arange(len(targets))).nonzero().flatten()
    permuted = [
        _likeness(moved, weights, _permutation(weights, changed, generator)[targets], cosines) for _ in range(DRAWS)
    ]
    others = _smooth_operators(exchanges_axes(filter_map.element), filters, generator)
    smooth = [_likeness(moved, weights, assignment(other.abs()), other) for other in others]
    nulls = [torch.tensor(values) for values in (permuted, smooth)]
    p = max(float((1 + (null >= found - 1e-12).sum()) / (1 + DRAWS)) for null in nulls)
    return found, max(float(null.mean()) for null in nulls), p


def _likeness(moved: Tensor, weights: Tensor, targets: Tensor, cosines: Tensor) -> float:
    """The mean cosine of filters with their images; channel c of a moved filter becomes channel `targets[c]`."""
    signs = cosines[torch.arange(len(targets)), targets].sign()
    images = torch.empty_like(moved)
    images[:, targets] = moved * signs.view(1, -1, 1, 1)
    likeness = images.flatten(1) @ weights.flatten(1).T
    return float(likeness[torch.arange(len(likeness)), assignment(likeness)].mean())


def _smooth_operators(exchanges: bool, filters: Tensor, generator: torch.Generator) -> Tensor:
    """The cosines of `Q f_i` with `f_j` for random operators Q as smooth as T.  -> (draws, filters, filters)"""
    spectra = cosine_coefficients(filters)
    moved = cosine_coefficients(filters.mT) if exchanges else spectra
    signs = random_signs(DRAWS, spectra.shape[-1], generator)
    return torch.stack([(moved * sign).flatten(1) @ spectra.flatten(1).T for sign in signs])


def _permutation(weights: Tensor, channels: Tensor, generator: torch.Generator) -> Tensor:
    """A random permutation of the given channels, among channels of similar norm."""
    permutation = torch.arange(weights.shape[1])
    order = channels[weights.square().sum((0, 2, 3))[channels].argsort()]
    for part in order.chunk(PARTS):
        permutation[part] = part[torch.randperm(len(part), generator=generator)]
    return permutation
