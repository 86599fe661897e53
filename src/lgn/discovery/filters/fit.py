"""The generator of a bank of filters: which linear map takes each filter of a set to the next?"""

import math
import typing
from dataclasses import dataclass
from typing import Literal, get_args, overload

import torch
from torch import Tensor
from torch.nn import functional as F

from lgn.actions import vec
from lgn.discovery.filters.exchange import FitShare, chance_of_fit, pairs_of
from lgn.discovery.filters.group_fit import GroupFit, GroupMethod, fit_group
from lgn.discovery.filters.noise import TOLERANCE, what_is_known
from lgn.discovery.filters.unordered import arrange
from lgn.generators.fit import least_squares_generator
from lgn.groups import Group, chosen_group
from lgn.nn.determined import warn_undetermined
from lgn.text import Html, heat_map, html_table, paragraphs

Method = Literal["least-squares", "procrustes", "unordered"]
SIGNIFICANCE = 0.05
PICTURES = 20  # in a notebook, of a generator for each set


@dataclass(frozen=True, eq=False)
class Fit:
    """A generator fitted to a bank, and what the bank can say about it.

    With a generator per set, `residual`, `scalar_residual` and `p_value` are those of all sets together,
    `identifiable_dimension` is the smallest and `noise` the largest.
    """

    #: (d, d), or (sets, d, d) for share="set": fitted on the identifiable subspace, an isometry on the rest.
    matrix: Tensor
    #: `|B_plus - A P_U B_minus|_F / |B_plus|_F` over all pairs (element j + 1, element j), U the identifiable subspace.
    residual: float
    #: dim U: in how many dimensions the vectors that A is applied to rise above the noise that the residual implies, or
    #: above rounding, where p > 0.05 and the residual is no noise; below d, A is known on U alone.
    identifiable_dimension: int
    #: The share of banks, filters dealt to other sets, whose directions are fitted as well: 1 where any would be.
    p_value: float
    method: Method
    #: Which filter of a set stands at each place of its orbit, (sets, order): 0, 1, ... unless solved for.
    arrangement: Tensor
    #: The residual of the best `c I`: filters that hardly change along an orbit have no generator worth the name.
    scalar_residual: float
    #: The noise of filters that the residual implies, as a share of their size; NaN where there is no residual.
    noise: float
    #: Of the entries of `A P_U`, as `matrix`, of least squares (an orthogonal A is known better); infinite where there
    #: is no residual.
    standard_errors: Tensor

    def __repr__(self) -> str:
        d = self.matrix.shape[-1]
        return (
            f"Fit({self.method}: residual {self.residual:.3g} where the best c I leaves {self.scalar_residual:.3g}, "
            f"determined on {self.identifiable_dimension} of {d} dimensions, p = {self.p_value:.2g})"
        )

    def _repr_html_(self) -> str:
        shown = self.matrix.reshape(-1, *self.matrix.shape[-2:])[:PICTURES]
        rows = {
            "method": self.method,
            "residual": f"{self.residual:.3g}, where the best c I leaves {self.scalar_residual:.3g}",
            "p": f"{self.p_value:.2g}",
            "determined on": f"{self.identifiable_dimension} of {self.matrix.shape[-1]} dimensions",
            "noise": "none to be seen" if math.isnan(self.noise) else f"{self.noise:.2g} of the filters",
        }
        pictures = Html("".join(map(heat_map, shown)))
        return paragraphs(pictures, html_table((), rows.items()))


@overload
def fit_generator(
    bank: Tensor,
    order: int,
    method: Method = ...,
    share: FitShare = ...,
    *,
    group: None = ...,
    shuffles: int | None = ...,
    seed: int = ...,
) -> Fit: ...


@overload
def fit_generator(
    bank: Tensor,
    order: int | None = ...,
    method: GroupMethod | None = ...,
    share: FitShare = ...,
    *,
    group: Group | str,
    shuffles: int | None = ...,
    seed: int = ...,
) -> GroupFit: ...


def fit_generator(
    bank: Tensor,
    order: int | None = None,
    method: Method | GroupMethod | None = None,
    share: FitShare = "layer",
    *,
    group: Group | str | None = None,
    shuffles: int | None = None,
    seed: int = 0,
) -> Fit | GroupFit:
    """The generator of any bank of filters, such as the weight of a trained convolution.

    least-squares: `A = B_plus pinv(B_minus)` from the pairs (element j + 1, element j) of all sets that share A, on the
    dimensions that are not noise (Note [The edge of noise] in `lgn.discovery.filters.noise`);  procrustes: the nearest
    orthogonal A;  unordered: least squares after solving for the order within each set, for a generator with `A^p = I`
    (see `lgn.discovery.filters.unordered`).

    For the p-value `shuffles` banks are fitted, 99, or 19 for unordered, whose filters stand at the same places of
    other sets' orbits; the norms of filters do not count (Note [Only directions can be shuffled] in
    `lgn.discovery.filters.exchange`). It is 1 for a single set, and where the pairs do not exceed the dimensions.

    With `group`, a `lgn.groups.Group` or its name, a `GroupFit` of one matrix for each of its generators: method
    "relations" unless told, for which all relations hold (see `lgn.discovery.filters.group_fit`), "least-squares" or
    "unordered".

    Shapes: bank (sets * order, channels, n, m), set-major -> matrix (d, d), or (sets, d, d) for share="set". Filters of
    signals have one axis, of volumes three.
    """
    chosen = chosen_group(order, group)
    order = chosen.order
    filters = _sets(bank, order)
    if group is not None:
        if share != "layer":
            raise ValueError(f"share must be 'layer' where a group is given, got {share!r}")
        return fit_group(filters, chosen, method or "relations", shuffles=shuffles, seed=seed)  # type: ignore[arg-type]
    method = method or "least-squares"
    if method not in get_args(Method):
        raise ValueError(f"method must be one of {', '.join(get_args(Method))}, got {method!r}")
    if share not in get_args(FitShare):
        raise ValueError(f"share must be one of {', '.join(get_args(FitShare))}, got {share!r}")
    if method == "unordered" and share != "layer":
        raise ValueError(f"share must be 'layer' for method 'unordered', which one set cannot determine, got {share!r}")
    shuffles = (19 if method == "unordered" else 99) if shuffles is None else shuffles
    if shuffles < 1:
        raise ValueError(f"shuffles must be at least 1, got {shuffles}")
    unordered = method == "unordered"
    arrangement = _best_order(filters) if unordered else torch.arange(order).expand(len(filters), -1)
    before, after = pairs_of(_arranged(filters, arrangement), share)  # (sets or 1, d, pairs)
    p_value = chance_of_fit(
        filters,
        share,
        shuffles,
        seed,
        _left_by_orthogonal if method == "procrustes" else _left_by_least_squares,
        (lambda vectors: _arranged(vectors, arrange(vectors))) if unordered else None,
    )
    # Where chance fits as well, what is left is no noise about a generator, but the want of one.
    known = what_is_known(before, after, noisy=p_value <= SIGNIFICANCE)
    if method == "procrustes":  # weighs every direction by its size: noise is not blown up
        matrix = _orthogonal(before, after)
        residual = _relative(after - matrix @ before, after)
    else:
        seen = known.seen  # the combinations of pairs that are more than noise
        matrix = least_squares_generator(before @ seen.mT, after @ seen.mT)
        residual = _relative(after - after @ seen.mT @ seen, after)
    scalar = (before * after).sum((-2, -1), keepdim=True) / before.square().sum((-2, -1), keepdim=True).clamp_min(
        1e-300
    )
    dimension, (d, pairs) = int(known.dimension.min()), before.shape[-2:]
    warn_undetermined(dimension, d, pairs)
    one = share == "layer"
    return Fit(
        matrix[0] if one else matrix,
        float(residual),
        dimension,
        p_value,
        typing.cast(Method, method),
        arrangement,
        float(_relative(after - scalar * before, after)),
        float(known.noise.max()),
        known.standard_errors[0] if one else known.standard_errors,
    )


def _sets(bank: Tensor, order: int) -> Tensor:
    """(sets * order, channels, n, m) -> float64 (sets, order, channels, d); with one axis or three likewise"""
    if not 3 <= bank.ndim <= 5:
        raise ValueError(
            f"bank must be (sets * order, channels, n, m), or with one axis or three, got shape {tuple(bank.shape)}"
        )
    if order < 2 or len(bank) % order or not len(bank):
        raise ValueError(f"order must be at least 2 and divide the {len(bank)} filters of bank, got {order}")
    if not torch.isfinite(bank).all():
        raise ValueError("bank must be finite, got infinities or NaN")
    return vec(bank.detach().double(), bank.ndim - 2).unflatten(0, (-1, order))


def _best_order(filters: Tensor) -> Tensor:
    """The better of two orders: of the filters, and of their directions, which chance is asked about.

    Shapes: (sets, order, channels, d) -> (sets, order)
    """
    orders = [arrange(vectors) for vectors in (filters, F.normalize(filters, dim=-1))]
    left = [_left_by_least_squares(*pairs_of(_arranged(filters, each), "layer")) for each in orders]
    return orders[int(torch.stack(left).argmin())]


def _arranged(filters: Tensor, arrangement: Tensor) -> Tensor:
    return filters[torch.arange(len(filters))[:, None], arrangement]


def _orthogonal(before: Tensor, after: Tensor) -> Tensor:
    """The polar factor where the pairs decide it; what is left open is completed as for least squares."""
    u, s, vh = torch.linalg.svd(after @ before.mT)
    kept = (s > TOLERANCE**2 * s[..., :1]).unsqueeze(-2)  # a product of two: its singular values are squares
    return least_squares_generator(vh.mT * kept, u * kept)


def _left_by_orthogonal(before: Tensor, after: Tensor) -> Tensor:
    """(..., generators, d, pairs), the same -> (...)"""
    u, _, vh = torch.linalg.svd(after @ before.mT)
    return _relative(after - u @ (vh @ before), after)


def _left_by_least_squares(before: Tensor, after: Tensor) -> Tensor:
    """(..., generators, d, pairs), the same -> (...)"""
    _, s, vh = torch.linalg.svd(before, full_matrices=False)
    rows = vh * (s > TOLERANCE * s[..., :1]).unsqueeze(-1)
    return _relative(after - after @ rows.mT @ rows, after)


def _relative(left: Tensor, after: Tensor) -> Tensor:
    """Over all generators together.  (..., generators, d, pairs) -> (...)"""
    whole = after.flatten(-3).norm(dim=-1).clamp_min(torch.finfo(after.dtype).tiny)
    return left.flatten(-3).norm(dim=-1) / whole
