"""The unknown map: which linear map takes filters to their twins, asked without saying which it should be."""

import warnings
from functools import partial

import torch
from torch import Tensor

from lgn.actions import matrix_of
from lgn.discovery.filters import fit_generator
from lgn.discovery.networks.candidates import SQUARE, Candidate
from lgn.discovery.networks.result import FittedMap
from lgn.nn import UndeterminedWarning


def fit_map(filters: Tensor, cosines: Tensor, pairs: list[tuple[int, int]], name: str, seed: int) -> FittedMap | None:
    """The orthogonal map of all pairs `(i, j)`, filter j being the twin of filter i; None for fewer than three.

    The pairs were matched under one transformation, and the map is fitted without knowing it: that it is nearest to it,
    and by how much, is what is learned. Its p-value is of `fit_generator`: the same filters with the twins of others.

    Shapes: (filters, channels, n, m), and of `T f_i` with `f_j`, (filters, filters).
    """
    if len(pairs) < 3:
        return None
    first, second = (torch.tensor(side) for side in zip(*pairs, strict=True))
    signs = cosines[first, second].sign().view(-1, 1, 1, 1)
    bank = torch.stack([filters[first], signs * filters[second]], 1).flatten(0, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndeterminedWarning)  # how many dimensions are known is said in the result
        fit = fit_generator(bank, 2, "procrustes", seed=seed)
    patch = (filters.shape[-2], filters.shape[-1])
    known = torch.stack([matrix_of(partial(_once, each), patch) for each in SQUARE])
    # On the directions that the pairs span: on the others the fit is anything.
    vectors = filters[first].mT.flatten(2).flatten(0, 1).T  # (d, pairs * channels), columns stacked
    moved, expected = fit.matrix @ vectors, known @ vectors
    likeness = (moved * expected).sum((-2, -1)) / (moved.norm() * expected.flatten(1).norm(dim=1))
    best = likeness.abs().argsort(descending=True).tolist()
    return FittedMap(
        name,
        len(pairs),
        fit.residual,
        fit.p_value,
        fit.identifiable_dimension,
        SQUARE[best[0]].name,
        float(likeness[best[0]]),
        float(likeness[best[1]]),
    )


def _once(candidate: Candidate, x: Tensor) -> Tensor:
    return candidate.power(x, 1)
