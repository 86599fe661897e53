"""Which filter of a set is which element of the group? Solved for by what commutes with all sets."""

from collections.abc import Callable

import torch
from torch import Tensor

from lgn.discovery.filters.commutant import commutator_spectrum
from lgn.groups import Group, from_table
from lgn.linalg import assignment

MAX_ORDER = 16
SEEDS = 12  # sets that are tried as the first

# Note [Elements within a set]
# As in Note [Order within a set] of `unordered`, in the coordinates in which all filters together are
# white, the rho(g) are orthogonal and commute with every S_k = sum_j b_j b_j^T; what commutes with all S_k is their
# span, if the sets are many. In it, X_j with X_j b_1 = b_j is unique where the orbit is: it is rho(g) for the element
# g that takes the first filter of the set to the j-th. The X_j of one set are thus the whole group, unlabelled; their
# products give a table, and its isomorphism to the wanted group the labels. Which filter is the basis does not matter,
# and labels are known up to automorphisms. The other sets follow by assignment, and turns of fitting and assigning
# bear noise.


def arrange_group(filters: Tensor, group: Group, fit: Callable[[Tensor], Tensor], rounds: int = 10) -> Tensor:
    """The filter of each set that is each element of the group, the first filter of each being the identity's.

    `fit(arranged)` gives the generators of sets in order. Sets keep the order that they have where nothing explains
    more.  (sets, order, channels, d) -> (sets, order)
    """
    sets, order, _, d = filters.shape
    if order > MAX_ORDER:
        raise ValueError(f"group must have at most {MAX_ORDER} elements for method 'unordered', got {order}")
    u, s, _ = torch.linalg.svd(filters.reshape(-1, d).T, full_matrices=False)
    kept = s > 1e-6 * s[0]
    white = filters @ (u[:, kept] / s[kept])  # (sets, order, channels, rank)
    orbits = white.transpose(1, 2).flatten(0, 1)
    values, algebra = commutator_spectrum(orbits.mT @ orbits, count=order + 1)
    algebra = algebra[:order][values[:order] < max(1e-6, 30 * float(values[1]))]  # an irrep that is not there
    given = torch.arange(order).expand(sets, order)
    best, least = given, _unexplained(white, given, group, fit)
    for seed in range(min(SEEDS, sets)):
        labelled = _from_one_set(white[seed], algebra, group)
        if labelled is None:
            continue
        found = _assigned(white, labelled)
        for _ in range(rounds):
            rho = group.representation(fit(_in_order(white, found)))
            following = _assigned(white, rho)
            if torch.equal(following, found):
                break
            found = following
        left = _unexplained(white, found, group, fit)
        if left < least:
            best, least = found, left
        if least < 1e-6:
            break
    return best


def _from_one_set(vectors: Tensor, algebra: Tensor, group: Group) -> Tensor | None:
    """`rho(g)` for all elements, from the filters of one set; None if they make no such group.

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
    """For each set the filter nearest to `rho(g)` of its first, one for each element.  -> (sets, order)"""
    expected = torch.einsum("gij,kcj->kgci", rho, white[:, 0])
    costs = (expected[:, :, None] - white[:, None]).square().sum((-2, -1))  # (sets, element, filter)
    return assignment(-costs)


def _in_order(white: Tensor, arrangement: Tensor) -> Tensor:
    return white[torch.arange(len(white))[:, None], arrangement]


def _unexplained(white: Tensor, arrangement: Tensor, group: Group, fit: Callable[[Tensor], Tensor]) -> float:
    arranged = _in_order(white, arrangement)
    matrices = fit(arranged)
    left = [
        arranged[:, group.table[a]] - arranged @ matrix.T
        for a, matrix in zip(group.generator_elements, matrices, strict=True)
    ]
    return float(torch.stack(left).norm() / arranged.norm() / len(left) ** 0.5)
