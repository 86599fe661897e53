"""The linear map from filters to their copies, fitted without the transformation under which they were matched."""

import warnings

import torch
from torch import Tensor

from lgn.actions import matrix_of
from lgn.discovery.filters import fit_generator
from lgn.discovery.networks.filter_bank import FilterBank
from lgn.discovery.networks.questions import symmetries_of
from lgn.nn import UndeterminedWarning
from lgn.transforms import SQUARE


def fitted_map_note(
    bank: FilterBank, cosines: Tensor, pairs: list[tuple[int, int]], element: int, seed: int
) -> str | None:
    """A sentence on the orthogonal map of all pairs (i, j), where filter j is a copy of filter i; None below 3 pairs.

    The map is fitted to the pairs alone. That it is nearest to the transformation of the pairs is a check. The p-value
    is that of `fit_generator`: the fit to pairs in random order.

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
    symmetries = [question.transformation for question in symmetries_of(bank.patch)]
    known = torch.stack([matrix_of(transformation, bank.patch) for transformation in symmetries])
    # The fit is arbitrary outside of the directions that the pairs span.
    vectors = bank.filters[first].mT.flatten(2).flatten(0, 1).T  # (d, pairs * channels), columns stacked
    moved, expected = fit.matrix @ vectors, known @ vectors
    likeness = (moved * expected).sum((-2, -1)) / (moved.norm() * expected.flatten(1).norm(dim=1))
    best, second_best = likeness.abs().argsort(descending=True)[:2].tolist()
    return (
        f"the linear map fitted to {len(pairs)} pairs of copies under {SQUARE[element]} is nearest to "
        f"{symmetries[best].name} (cosine {float(likeness[best]):.2f}, next {float(likeness[second_best]):.2f}; "
        f"p = {fit.p_value:.2g})"
    )
