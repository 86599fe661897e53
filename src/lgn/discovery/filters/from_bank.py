"""The generators of a bank of filters: the linear maps between the filters of a set."""

from collections.abc import Callable
from functools import partial
from typing import Literal, get_args

import torch
from torch import Tensor

from lgn.actions import vec
from lgn.discovery.filters.arranging import arrange, in_order
from lgn.discovery.filters.chance import chance_of_fit
from lgn.discovery.filters.exact_fit import fit_representation
from lgn.discovery.filters.noise import TOLERANCE, determined_directions
from lgn.discovery.filters.record import SIGNIFICANCE, Fit, Method
from lgn.generators.fit import filter_pairs, least_squares_generator
from lgn.groups import Group, as_group
from lgn.linalg import double
from lgn.nn.determined import warn_undetermined

FitShare = Literal["layer", "set"]


def fit_generator(
    bank: Tensor,
    *,
    group: Group | str | int,
    method: Method | None = None,
    share: FitShare = "layer",
    shuffles: int | None = None,
    seed: int = 0,
) -> Fit:
    """Fit the generators of a group to a bank of filters, such as the weight of a trained convolution.

    - "least-squares" (the default for groups with one generator): `A = B_plus pinv(B_minus)` from the pairs (element
      j + 1, element j) of all sets that share A, on the dimensions that are not noise (Note [The edge of noise]). The
      relation `A^p = I` is not assumed.
    - "procrustes": the nearest orthogonal A, which is better with noise.
    - "relations" (the default for other groups): all generators together, such that every relation holds (Note
      [Fitting a representation]).
    - "unordered": the same if the order of the filters within each set is not known (Note [Elements within a set]).

    For the p-value, 99 shuffled banks are fitted, or 19 for "unordered" (Note [Only directions are shuffled]). It is 1
    for a single set, and if there are not more pairs than dimensions. `share="set"` fits generators for each set. The
    matrices are float64, on the CPU.

    Shapes: bank (sets * order, channels, n, m), set-major; filters of signals have one axis, filters of volumes three
    """
    group = as_group(group)
    method = method or ("least-squares" if len(group.generators) == 1 else "relations")
    unordered, exact = method == "unordered", method in ("relations", "unordered")
    shuffles = (19 if unordered else 99) if shuffles is None else shuffles
    _require(method, share, shuffles)
    filters = _sets(bank, group)
    pairs_of = partial(filter_pairs, group=group, share=share, closed=True if exact else None)
    arrangement = arrange(filters, group) if unordered else torch.arange(group.order).expand(len(filters), -1)
    arranged = in_order(filters, arrangement)
    before, after = torch.broadcast_tensors(*pairs_of(arranged))
    p_value = chance_of_fit(filters, shuffles, seed, partial(_residuals, group=group, method=method, pairs_of=pairs_of))
    # If shuffled banks fit as well, the residual is not noise: there is no generator.
    determined = determined_directions(before, after, noisy=p_value <= SIGNIFICANCE)
    if exact:
        matrices = fit_representation(arranged, group)[:, None, None]
        left = after - matrices @ before
    else:
        matrices, left = (_orthogonal if method == "procrustes" else _linear)(before, after, determined.seen)
    warn_undetermined(dimension := int(determined.dimension.min()), *before.shape[-2:])
    return Fit(
        method=method,
        matrices=_by_set(matrices, share),
        group=group,
        residual=float(_relative(left, after)),
        trivial_residual=_residual_of_scalars(before, after),
        p_value=p_value,
        identifiable_dimension=dimension,
        noise=float(determined.noise.max()),
        standard_errors=_by_set(determined.standard_errors, share),
        arrangement=arrangement,
    )


def _require(method: str, share: str, shuffles: int) -> None:
    if method not in get_args(Method):
        raise ValueError(f"method must be one of {', '.join(get_args(Method))}, got {method!r}")
    if share not in get_args(FitShare):
        raise ValueError(f"share must be one of {', '.join(get_args(FitShare))}, got {share!r}")
    if method in ("relations", "unordered") and share != "layer":
        raise ValueError(f"share must be 'layer' for method {method!r}, got {share!r}")
    if shuffles < 1:
        raise ValueError(f"shuffles must be at least 1, got {shuffles}")


def _sets(bank: Tensor, group: Group) -> Tensor:
    """(sets * order, channels, n, m), or with one axis or three -> float64 (sets, order, channels, d)"""
    if not 3 <= bank.ndim <= 5:
        raise ValueError(f"bank must be (sets * order, channels, *patch), got shape {tuple(bank.shape)}")
    if group.order < 2 or len(bank) % group.order or not len(bank):
        raise ValueError(
            f"group must have at least 2 elements and an order that divides the {len(bank)} filters of bank, got "
            f"{group.name} of order {group.order}"
        )
    if not torch.isfinite(bank).all():
        raise ValueError("bank must be finite, got infinities or NaN")
    return vec(double(bank.detach()).cpu(), bank.ndim - 2).unflatten(0, (-1, group.order))


def _by_set(matrices: Tensor, share: FitShare) -> Tensor:
    """(generators, sets or 1, 1, d, d) -> (generators, sets, d, d), or (generators, d, d) for a shared generator"""
    return matrices[:, :, 0] if share == "set" else matrices[:, 0, 0]


def _linear(before: Tensor, after: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
    """Least squares and its residual, with the combinations of pairs that are more than noise."""
    return least_squares_generator(before @ seen.mT, after @ seen.mT), after - after @ seen.mT @ seen


def _orthogonal(before: Tensor, after: Tensor, _: Tensor) -> tuple[Tensor, Tensor]:
    """The polar factor on the dimensions that the pairs determine, completed as in least squares, and its residual."""
    u, s, vh = torch.linalg.svd(after @ before.mT)
    kept = (s > TOLERANCE**2 * s[..., :1]).unsqueeze(-2)  # singular values of a product of two are squares
    matrices = least_squares_generator(vh.mT * kept, u * kept)
    return matrices, after - matrices @ before


def _residuals(
    banks: Tensor, group: Group, method: Method, pairs_of: Callable[[Tensor], tuple[Tensor, Tensor]]
) -> Tensor:
    """The relative residual of the best linear map of each bank, or of the best orthogonal map.

    Shapes: (banks, sets, order, channels, d) -> (banks,)
    """
    if method == "unordered":
        banks = torch.stack([in_order(bank, arrange(bank, group)) for bank in banks])
    before, after = pairs_of(banks)
    if method == "procrustes":
        u, _, vh = torch.linalg.svd(after @ before.mT)
        return _relative(after - u @ (vh @ before), after)
    _, s, vh = torch.linalg.svd(before, full_matrices=False)
    rows = vh * (s > TOLERANCE * s[..., :1]).unsqueeze(-1)
    return _relative(after - after @ rows.mT @ rows, after)


def _residual_of_scalars(before: Tensor, after: Tensor) -> float:
    """The relative residual of the best map `c I` for each generator."""
    size = before.square().sum((-2, -1), keepdim=True).clamp_min(1e-300)
    scalars = (before * after).sum((-2, -1), keepdim=True) / size
    return float(_relative(after - scalars * before, after))


def _relative(left: Tensor, after: Tensor) -> Tensor:
    """`|left| / |after|` over all generators and sets.  (..., generators, sets or 1, 1, d, pairs) -> (...)"""
    size = after.flatten(-5).norm(dim=-1).clamp_min(torch.finfo(after.dtype).tiny)
    return left.flatten(-5).norm(dim=-1) / size
