"""The generator of a bank of filters: which linear map takes each filter of a set to the next?"""

import warnings
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from torch import Tensor

from lgn.algebra import vec
from lgn.discovery.unordered import arrange
from lgn.generators.fit import consecutive_pairs, least_squares_generator

Method = Literal["least-squares", "procrustes", "unordered"]
FitShare = Literal["layer", "set"]

# Singular values below this share of the largest are rounding: filters of trained networks are float32.
TOLERANCE = 1e-6


class UndeterminedWarning(UserWarning):
    """The vectors that a generator acts on do not span the space, so they cannot determine it."""


@dataclass(frozen=True, eq=False)
class Fit:
    """A generator fitted to a bank, and what the bank can say about it.

    `p_value` is the share of shuffled banks that are fitted as well: 1 where any filters would be. With a generator
    per set, `residual` and `p_value` are those of all sets together, `identifiable_dimension` is the smallest.
    """

    #: (d, d), or (sets, d, d) for share="set": fitted on the identifiable subspace, an isometry on the rest.
    matrix: Tensor
    #: `|B_plus - A B_minus|_F / |B_plus|_F` over all pairs (element j + 1, element j).
    residual: float
    #: dim U, the rank of the vectors that A is applied to; below d, A is known on U alone.
    identifiable_dimension: int
    p_value: float
    method: Method
    #: Which filter of a set stands at each place of its orbit, (sets, order): 0, 1, ... unless solved for.
    arrangement: Tensor

    def __repr__(self) -> str:
        d = self.matrix.shape[-1]
        return (
            f"Fit({self.method}: residual {self.residual:.3g}, determined on {self.identifiable_dimension} of {d} "
            f"dimensions, p = {self.p_value:.2g})"
        )


def fit_generator(
    bank: Tensor,
    order: int,
    method: Method = "least-squares",
    share: FitShare = "layer",
    *,
    shuffles: int | None = None,
    seed: int = 0,
) -> Fit:
    """The generator of any bank of filters, such as the weight of a trained convolution.

    least-squares: `A = B_plus pinv(B_minus)` from the pairs (element j + 1, element j) of all sets that share A;
    procrustes: the nearest orthogonal A;  unordered: least squares after solving for the order within each set, for a
    generator with `A^p = I` (see `lgn.discovery.unordered`).

    `shuffles` banks with the same filters in random places are fitted for the p-value: 99, or 19 for unordered.

    Shapes: bank (sets * order, channels, n, m), set-major -> matrix (d, d), or (sets, d, d) for share="set".
    """
    filters = _sets(bank, order)
    if method not in get_args(Method):
        raise ValueError(f"method must be one of {', '.join(get_args(Method))}, got {method!r}")
    if share not in get_args(FitShare):
        raise ValueError(f"share must be one of {', '.join(get_args(FitShare))}, got {share!r}")
    if method == "unordered" and share != "layer":
        raise ValueError(f"share must be 'layer' for method 'unordered', which one set cannot determine, got {share!r}")
    shuffles = (19 if method == "unordered" else 99) if shuffles is None else shuffles
    if shuffles < 1:
        raise ValueError(f"shuffles must be at least 1, got {shuffles}")
    arrangement = _arrangement(filters, method)
    before, after = (part[:, 0] for part in consecutive_pairs(_arranged(filters, arrangement), share))
    matrix = _solve(before, after, method)  # (sets or 1, d, d)
    residual = float(_residual(matrix, before, after))
    null = _null_residuals(filters, method, share, shuffles, seed)
    # As good as: rounding decides nothing.
    p_value = (1 + int((null <= residual + 1e-9).sum())) / (1 + shuffles)
    dimension = int(_rank(before).min())
    warn_undetermined(dimension, matrix.shape[-1])
    return Fit(matrix if share == "set" else matrix[0], residual, dimension, p_value, method, arrangement)


def warn_undetermined(dimension: int, d: int) -> None:
    """Warn, once for a place and a dimension, where vectors of rank `dimension` cannot determine a generator on d."""
    if dimension < d:
        warnings.warn(
            f"the filters determine the generator on {dimension} of {d} dimensions, on the rest it is arbitrary; "
            "share it by more sets (share='layer'), raise num_sets, the channels or the order, or use smaller filters: "
            "sets * channels * (order - 1) must reach the pixels of a filter",
            UndeterminedWarning,
            stacklevel=3,
        )


def _sets(bank: Tensor, order: int) -> Tensor:
    """(sets * order, channels, n, m) -> float64 (sets, order, channels, n, m)"""
    if bank.ndim != 4:
        raise ValueError(f"bank must be (sets * order, channels, n, m), got shape {tuple(bank.shape)}")
    if order < 2 or len(bank) % order or not len(bank):
        raise ValueError(f"order must be at least 2 and divide the {len(bank)} filters of bank, got {order}")
    if not torch.isfinite(bank).all():
        raise ValueError("bank must be finite, got infinities or NaN")
    return bank.detach().double().unflatten(0, (-1, order))


def _arrangement(filters: Tensor, method: Method) -> Tensor:
    if method == "unordered":
        return arrange(vec(filters))
    return torch.arange(filters.shape[1]).expand(len(filters), -1)


def _arranged(filters: Tensor, arrangement: Tensor) -> Tensor:
    return filters[torch.arange(len(filters))[:, None], arrangement]


def _solve(before: Tensor, after: Tensor, method: Method) -> Tensor:
    """(..., d, pairs), (..., d, pairs) -> (..., d, d)"""
    if method == "procrustes":
        u, s, vh = torch.linalg.svd(after @ before.mT)
        kept = s > TOLERANCE**2 * s[..., :1]  # a product of two: its singular values are squares
        # The polar factor where the pairs decide it; what is left open is completed as for least squares.
        left, right = u * kept.unsqueeze(-2), vh.mT * kept.unsqueeze(-2)
        return least_squares_generator(right, left)
    _, s, vh = torch.linalg.svd(before, full_matrices=False)
    seen = vh * (s > TOLERANCE * s[..., :1]).unsqueeze(-1)
    projector = seen.mT @ seen  # on combinations of pairs that are more than rounding
    return least_squares_generator(before @ projector, after @ projector)


def _residual(matrix: Tensor, before: Tensor, after: Tensor) -> Tensor:
    """Over all generators together.  (..., sets or 1, d, d) -> (...)"""
    left = (after - matrix @ before).flatten(-3).norm(dim=-1)
    return left / after.flatten(-3).norm(dim=-1).clamp_min(torch.finfo(after.dtype).tiny)


def _rank(before: Tensor) -> Tensor:
    s = torch.linalg.svdvals(before)
    return (s > TOLERANCE * s[..., :1]).sum(-1)


def _null_residuals(filters: Tensor, method: Method, share: FitShare, shuffles: int, seed: int) -> Tensor:
    """What shuffled banks leave unexplained.  -> (shuffles,)"""
    generator = torch.Generator().manual_seed(seed)
    flat = filters.flatten(0, 1)
    residuals = []
    for _ in range(shuffles):
        shuffled = flat[torch.randperm(len(flat), generator=generator)].view_as(filters)
        shuffled = _arranged(shuffled, _arrangement(shuffled, method))
        before, after = (part[:, 0] for part in consecutive_pairs(shuffled, share))
        residuals.append(_residual(_solve(before, after, method), before, after))
    return torch.stack(residuals)
