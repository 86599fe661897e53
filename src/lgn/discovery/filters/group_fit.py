"""The generators of a finite group from a bank of filters: closed forms, with and without the relations."""

import math
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from torch import Tensor

from lgn.discovery.filters.exchange import FitShare, chance_of_fit
from lgn.discovery.filters.noise import TOLERANCE
from lgn.discovery.filters.unordered_group import arrange_group
from lgn.generators import Representation
from lgn.generators.decomposition import decompose
from lgn.groups import Group, relation_error
from lgn.nn.determined import warn_undetermined

GroupMethod = Literal["least-squares", "relations", "unordered"]

# Note [Fitting a representation]
# All filters of a bank are the columns of F, (d, N), N = sets * channels * order. Left multiplication by an element a
# permutes them, F P_a, and a bank of orbits has rho(a) F = F P_a. By pairs alone, A_a = F P_a pinv(F), which noise
# biases, and which is no representation. Jointly: F is of the form C V with orthonormal rows V that span a space that
# all P_a keep, and then rho(a) = C (V P_a V^T) C^-1 satisfies every relation. Of all such spaces, that of the leading
# eigenvectors of mean_g P_g^T F^T F P_g leaves the least of F: an orthogonal projection that commutes with every P_g
# sees F only through that mean. It is the least-squares fit of orbits of a group, noise on all filters, in closed form;
# the eigenvectors are those of the stacked F P_g. A last projection onto `Representation` makes it exact.
# Most groups of pixels are orthogonal, and then what filters say of the stretch P in S = P Q is noise. The nearest
# orthogonal representation is taken where it explains the filters as well for its fewer numbers (Schwarz's criterion).


@dataclass(frozen=True, eq=False)
class GroupFit:
    """Generators of a group fitted to a bank, and what the bank can say about them."""

    group: Group
    #: One matrix for each generator, (generators, d, d): with the relations, unless the method is least-squares.
    matrices: Tensor
    #: What each leaves of the filters that it maps, `||F P_a - A_a F||_F / ||F||_F`, the largest.
    residual: float
    #: The largest `||w(A) - I||_F / ||I||_F` over the relations.
    relation_error: float
    #: The dimension of the space that filters span; below d, matrices are known there, and the identity on the rest.
    identifiable_dimension: int
    #: The share of banks, filters dealt to other sets, whose directions are fitted as well: 1 where any would be.
    p_value: float
    method: GroupMethod
    #: Which filter of a set is each element of the group, (sets, order): 0, 1, ... unless solved for.
    arrangement: Tensor

    def __repr__(self) -> str:
        d = self.matrices.shape[-1]
        return (
            f"GroupFit({self.group.name}, {self.method}: residual {self.residual:.3g}, relations to "
            f"{self.relation_error:.2g}, determined on {self.identifiable_dimension} of {d} dimensions, "
            f"p = {self.p_value:.2g})"
        )


def fit_group(
    filters: Tensor, group: Group, method: GroupMethod = "relations", *, shuffles: int | None = None, seed: int = 0
) -> GroupFit:
    """The generators of a group whose orbits the sets are; see Note [Fitting a representation].

    least-squares: each from the pairs that it relates;  relations: all together, so that every relation holds;
    unordered: the same after solving for which filter of a set is which element (`unordered_group`).

    Shapes: (sets, order, channels, d) -> matrices (generators, d, d)
    """
    if method not in get_args(GroupMethod):
        raise ValueError(f"method must be one of {', '.join(get_args(GroupMethod))} for a group, got {method!r}")
    sets, order, channels, d = filters.shape

    def in_order(vectors: Tensor) -> Tensor:
        return vectors[torch.arange(sets)[:, None], arrange_group(vectors, group, lambda v: fit_matrices(v, group)[0])]

    unordered = method == "unordered"
    arrangement = torch.arange(order).expand(sets, -1)
    if unordered:
        arrangement = arrange_group(filters, group, lambda vectors: fit_matrices(vectors, group)[0])
    arranged = filters[torch.arange(sets)[:, None], arrangement]
    matrices, dimension = fit_matrices(arranged, group, jointly=method != "least-squares")
    before, after = _pairs(arranged, group)
    left = (after - matrices @ before).flatten(1).norm(dim=1) / after.flatten(1).norm(dim=1).clamp_min(1e-300)
    columns = sets * channels * order
    p_value = 1.0
    if columns > d and sets > 1:
        p_value = chance_of_fit(
            filters,
            "layer",
            (19 if unordered else 99) if shuffles is None else shuffles,
            seed,
            _left,
            in_order if unordered else None,
            lambda banks, _: _pairs(banks, group),
        )
    warn_undetermined(dimension, d, columns)
    return GroupFit(
        group,
        matrices,
        float(left.max()),
        float(relation_error(group, matrices)),
        dimension,
        p_value,
        method,
        arrangement,
    )


def fit_matrices(filters: Tensor, group: Group, *, jointly: bool = True) -> tuple[Tensor, int]:
    """The matrices alone, and the dimension of what the filters span.  (sets, order, channels, d)"""
    d = filters.shape[-1]
    columns = filters.transpose(1, 2).flatten(0, 1)  # (sets * channels, order, d)
    f = columns.flatten(0, 1).T  # (d, N)
    u, s, _ = torch.linalg.svd(f, full_matrices=False)
    dimension = int((s > TOLERANCE * s[0]).sum())
    inside = u[:, :dimension]
    rest = torch.eye(d, dtype=f.dtype) - inside @ inside.T
    moved = {g: columns[:, group.table[g]].flatten(0, 1).T for g in range(group.order)}  # F P_g
    if not jointly:
        inverse = torch.linalg.pinv(f, rtol=TOLERANCE)
        return torch.stack([moved[a] @ inverse for a in group.generator_elements]) + rest, dimension
    stacked = torch.cat([inside.T @ moved[g] for g in range(group.order)])  # (order * dimension, N)
    values, vectors = torch.linalg.eigh(stacked @ stacked.T)
    leading, size = vectors[:, -dimension:], values[-dimension:].clamp_min(1e-300).sqrt()
    v = (leading / size).T @ stacked  # orthonormal rows, (dimension, N)
    c = inside.T @ f @ v.T
    matrices = []
    for a in group.generator_elements:
        permuted = v.unflatten(1, (-1, group.order))[:, :, group.table[a]].flatten(1)  # V P_a
        matrices.append(torch.linalg.solve(c, c @ (permuted @ v.T), left=False))
    seen = columns @ inside
    free = _exact(torch.stack(matrices), group)
    better = min((free, _orthogonal(free, group)), key=lambda each: _criterion(each, seen, group, each is free))
    return inside @ better @ inside.T + rest, dimension


def _orthogonal(matrices: Tensor, group: Group) -> Tensor:
    """The orthogonal representation near one that need not be."""
    _, q, r = decompose(matrices.numpy(), group)
    frame, blocks = torch.from_numpy(q), torch.from_numpy(r)
    return frame @ blocks @ frame.T


def _criterion(matrices: Tensor, vectors: Tensor, group: Group, stretched: bool) -> float:
    """Schwarz's: what orbits of the best bases leave of the filters, and what numbers of the stretch cost.

    Shapes: (generators, d, d), (sets * channels, order, d)
    """
    rho = group.representation(matrices)  # (order, d, d)
    if not torch.isfinite(rho).all():
        return torch.inf
    normal = (rho.mT @ rho).sum(0)
    bases = torch.linalg.solve(normal, torch.einsum("gij,kgi->jk", rho, vectors))
    left = (vectors - torch.einsum("gij,jk->kgi", rho, bases)).square().mean()
    floor = (1e-10 * vectors.square().mean().sqrt()).square()  # rounding decides nothing
    d, count = matrices.shape[-1], vectors.numel()
    # Symmetric matrices, but those that commute with the group and change nothing.
    character = rho.diagonal(dim1=-2, dim2=-1).sum(-1)
    squares = character[group.table.diagonal()]
    fixed = float((character.square() + squares).mean()) / 2
    numbers = d * (d + 1) / 2 - fixed if stretched else 0.0
    return float(count * torch.maximum(left, floor).log() + numbers * math.log(count))


def _exact(matrices: Tensor, group: Group) -> Tensor:
    """The nearest representation: rounding, and eigenvectors cut from a cluster, leave relations not quite kept."""
    if float(relation_error(group, matrices)) < 1e-12:
        return matrices
    if not torch.isfinite(matrices).all() or float(torch.linalg.cond(matrices).max()) > 1e8:
        # Filters that are no orbits at all have no representation near: the trivial one is as good as any.
        return torch.eye(matrices.shape[-1], dtype=matrices.dtype).expand_as(matrices)
    with torch.no_grad():
        return Representation(matrices[:, None], (matrices.shape[-1], 1), group).matrix()[:, 0]


def _pairs(banks: Tensor, group: Group) -> tuple[Tensor, Tensor]:
    """All filters, and what each generator makes of them, as columns.

    Shapes: (..., sets, order, channels, d) -> two of (..., generators, d, N)
    """
    before = banks.flatten(-4, -2).mT.unsqueeze(-3)
    after = [banks[..., group.table[a], :, :].flatten(-4, -2).mT for a in group.generator_elements]
    return before.expand(*before.shape[:-3], len(after), *before.shape[-2:]), torch.stack(after, -3)


def _left(before: Tensor, after: Tensor) -> Tensor:
    """What least squares leaves, over all generators together.  (..., generators, d, N) -> (...)"""
    _, s, vh = torch.linalg.svd(before[..., 0, :, :], full_matrices=False)
    rows = (vh * (s > TOLERANCE * s[..., :1]).unsqueeze(-1)).unsqueeze(-3)
    left = (after - after @ rows.mT @ rows).flatten(-3).norm(dim=-1)
    return left / after.flatten(-3).norm(dim=-1).clamp_min(torch.finfo(after.dtype).tiny)


__all__ = ["FitShare", "GroupFit", "GroupMethod", "fit_group", "fit_matrices"]
