"""The order of the filters of a set as elements of a group, from the matrices that commute with all sets."""

import torch
from torch import Tensor

from lgn.discovery.filters.commutant import commutator_spectrum
from lgn.discovery.filters.exact_fit import fit_representation
from lgn.groups import Group, from_table
from lgn.linalg import assignment

MAX_ORDER = 16
FIRST_SETS = 12  # the number of sets that are tried as the first

# Note [Elements within a set]
# A complete orbit is mapped to itself: with S_k = sum_j b_j b_j^T over set k, rho(g) S_k rho(g)^T = S_k. In the
# coordinates in which all filters together are white, the rho(g) are therefore orthogonal and commute with every S_k,
# whatever the order of the filters. If the sets are many, the matrices that commute with all S_k are the span of the
# rho(g). In this span, X_j with X_j b_1 = b_j is unique: it is rho(g) for the element g that maps the first filter of
# the set to the j-th. The X_j of one set are thus the whole group without labels; their products give a table, and the
# isomorphism of the table to the wanted group gives the labels, up to automorphisms. Which filter is the basis does not
# matter. The other sets follow by assignment, and rounds of fitting and assigning reduce the effect of noise.


def arrange(filters: Tensor, group: Group, rounds: int = 10) -> Tensor:
    """The filter of each set that is each element of the group; the first filter of a set is the identity.

    Sets keep their order if no other order explains more. See Note [Elements within a set].

    Shapes: (sets, order, channels, d) -> (sets, order)
    """
    sets, order, _, d = filters.shape
    if order > MAX_ORDER:
        raise ValueError(f"group must have at most {MAX_ORDER} elements for method 'unordered', got {order}")
    u, s, _ = torch.linalg.svd(filters.reshape(-1, d).T, full_matrices=False)
    kept = s > 1e-6 * s[0]
    white = filters @ (u[:, kept] / s[kept])  # (sets, order, channels, rank)
    orbits = white.transpose(1, 2).flatten(0, 1)
    values, algebra = commutator_spectrum(orbits.mT @ orbits, count=order + 1)
    algebra = algebra[:order][values[:order] < max(1e-6, 30 * float(values[1]))]  # some irreps may be absent
    best = torch.arange(order).expand(sets, order)
    least = _unexplained(white, best, group)
    for first in range(min(FIRST_SETS, sets)):
        labelled = _from_one_set(white[first], algebra, group)
        if labelled is None:
            continue
        found = _assigned(white, labelled)
        for _ in range(rounds):
            rho = group.representation(fit_representation(in_order(white, found), group))
            following = _assigned(white, rho)
            if torch.equal(following, found):
                break
            found = following
        left = _unexplained(white, found, group)
        if left < least:
            best, least = found, left
        if least < 1e-6:
            break
    return best


def in_order(filters: Tensor, arrangement: Tensor) -> Tensor:
    """The filters of each set in the order of `arrangement`, (sets, order).  (sets, order, ...) -> the same shape"""
    return filters[torch.arange(len(filters))[:, None], arrangement]


def _from_one_set(vectors: Tensor, algebra: Tensor, group: Group) -> Tensor | None:
    """`rho(g)` for all elements from the filters of one set; None if they do not form the group.

    Shapes: (order, channels, rank) -> (order, rank, rank)
    """
    images = torch.einsum("aij,cj->aci", algebra, vectors[0]).flatten(1).T  # (channels * rank, basis of the algebra)
    wanted = vectors.flatten(1).T  # (channels * rank, order)
    coefficients = torch.linalg.lstsq(images, wanted, driver="gelsd").solution
    x = torch.einsum("aj,aik->jik", coefficients, algebra)  # X_j, with X_0 near the identity
    products = x[:, None] @ x[None]
    distances = (products[:, :, None] - x).flatten(3).norm(dim=-1)
    table = distances.argmin(-1)
    try:
        found = from_table(table)
    except ValueError:
        return None
    labels = group.isomorphism(found)
    return None if labels is None else x[list(labels)]


def _assigned(white: Tensor, rho: Tensor) -> Tensor:
    """For each set, the filters assigned to the images of its first filter under `rho`.  -> (sets, order)"""
    expected = torch.einsum("gij,kcj->kgci", rho, white[:, 0])
    costs = (expected[:, :, None] - white[:, None]).square().sum((-2, -1))  # (sets, element, filter)
    return assignment(-costs)


def _unexplained(white: Tensor, arrangement: Tensor, group: Group) -> float:
    """The share of the arranged filters that the fitted generators leave."""
    arranged = in_order(white, arrangement)
    matrices = fit_representation(arranged, group)
    left = [
        arranged[:, group.table[a]] - arranged @ matrix.T
        for a, matrix in zip(group.generator_elements, matrices, strict=True)
    ]
    return float(torch.stack(left).norm() / arranged.norm() / len(left) ** 0.5)
