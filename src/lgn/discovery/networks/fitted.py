"""The linear map from filters to their copies, fitted without the transformation under which they were matched."""

import warnings

import torch
from torch import Tensor

from lgn.actions import matrix_of
from lgn.discovery.filters import fit_generator
from lgn.discovery.networks.filter_bank import FilterBank
from lgn.nn import UndeterminedWarning
from lgn.transforms import symmetry_of_square


def fit_map(
    bank: FilterBank, cosines: Tensor, pairs: list[tuple[int, int]], element: int, seed: int
) -> tuple[float, float]:
    """The cosine of the fitted orthogonal map with the transformation of the pairs, and the p-value of the fit.

    The map is fitted to the pairs (i, j) alone, where filter j is a copy of filter i, so the cosine is a check. The
    p-value is that of `fit_generator`.

    Shapes: cosines of `T f_i` with `f_j`, (filters, filters)
    """
    first, second = (torch.tensor(side) for side in zip(*pairs, strict=True))
    signs = cosines[first, second].sign().view(-1, 1, 1, 1)
    stacked = torch.stack([bank.filters[first], signs * bank.filters[second]], 1).flatten(0, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndeterminedWarning)
        fit = fit_generator(stacked, group=2, method="procrustes", seed=seed)
    known = matrix_of(symmetry_of_square(element), bank.patch)
    # The fit is arbitrary outside of the directions that the pairs span.
    vectors = bank.filters[first].mT.flatten(2).flatten(0, 1).T  # (d, pairs * channels), columns stacked
    moved, expected = ((matrix @ vectors).flatten() for matrix in (fit.matrix, known))
    return float(torch.cosine_similarity(moved, expected, 0)), fit.p_value
