"""The linear map from filters to their copies, fitted without the transformation under which they were matched."""

import warnings

import torch
from torch import Tensor

from lgn.actions import matrix_of
from lgn.discovery.filters import fit_generator
from lgn.discovery.networks.filter_bank import FilterBank
from lgn.nn import UndeterminedWarning
from lgn.transforms import SQUARE, symmetry_of_square


def fitted_map_note(
    bank: FilterBank, cosines: Tensor, pairs: list[tuple[int, int]], element: int, seed: int
) -> str | None:
    """A sentence on the orthogonal map of all pairs (i, j), where filter j is a copy of filter i; None below 3 pairs.

    The map is fitted to the pairs alone, and its cosine with the transformation of the pairs is a check. The p-value is
    that of `fit_generator`: the fit to pairs in random order.

    Shapes: cosines of `T f_i` with `f_j`, (filters, filters)
    """
    if len(pairs) < 3:
        return None
    first, second = (torch.tensor(side) for side in zip(*pairs, strict=True))
    signs = cosines[first, second].sign().view(-1, 1, 1, 1)
    stacked = torch.stack([bank.filters[first], signs * bank.filters[second]], 1).flatten(0, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndeterminedWarning)
        fit = fit_generator(stacked, group=2, method="procrustes", seed=seed)
    known = matrix_of(symmetry_of_square(element), bank.patch)
    # The fit is arbitrary outside of the directions that the pairs span.
    vectors = bank.filters[first].mT.flatten(2).flatten(0, 1).T  # (d, pairs * channels), columns stacked
    cosine = float(torch.cosine_similarity((fit.matrix @ vectors).flatten(), (known @ vectors).flatten(), 0))
    likeness = f"cosine {cosine:.2f} with {SQUARE[element]}, p = {fit.p_value:.2g}"
    return f"the linear map fitted to {len(pairs)} pairs of copies: {likeness}"
