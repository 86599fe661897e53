"""The permutations of pixels in an algebra: the group that it is spanned by."""

import torch
from torch import Tensor

from lgn.groups import Group, from_permutations
from lgn.linalg import nearest_permutation

NEAR = 0.5  # relative distance from the algebra up to which a permutation may be one of it
DRAWS = 40  # of random members, for each dimension

# Note [Permutations in an algebra]
# If an algebra is spanned by permutations rho(g), a random member is sum_g c_g rho(g), and the permutation nearest to
# it is rho(g) for the largest c_g: pixels that the group moves together choose alike. So random members show the
# elements one by one. Those that are nearest to the algebra, as many as it has dimensions, must be closed under
# products; if they are not, its group is no group of permutations, or noise hides it.


def permutation_group(algebra: Tensor, seed: int = 0) -> tuple[Group | None, Tensor | None]:
    """The group of permutations that spans an algebra, and its generators (g, d, d); None twice if there is none.

    The generator of the largest order comes first, and of equals the one nearest to the algebra.

    Shapes: (p, d, d), a basis
    """
    order, d = algebra.shape[0], algebra.shape[-1]
    basis = torch.linalg.qr(algebra.flatten(1).T).Q  # (d * d, p)
    random = torch.Generator().manual_seed(seed)
    found: dict[tuple[int, ...], float] = {}
    for _ in range(DRAWS * order):
        member = (basis @ torch.randn(order, generator=random, dtype=basis.dtype)).view(d, d)
        permutation = nearest_permutation(member)
        key = tuple(permutation.argmax(0).tolist())  # where each pixel goes
        if key not in found:
            flat = permutation.flatten()
            found[key] = float((flat - basis @ (basis.T @ flat)).norm() / flat.norm())
    identity = tuple(range(d))
    near = sorted((key for key in found if found[key] < NEAR and key != identity), key=found.__getitem__)[: order - 1]
    if len(near) < order - 1:
        return None, None
    try:
        whole = from_permutations(near, limit=order)
    except ValueError:  # they are not closed
        return None, None
    generators = _fewest(whole.group, [found.get(tuple(each), 0.0) for each in whole.elements.tolist()])
    moves = whole.elements[generators]
    group = from_permutations(moves, limit=order).group
    return group, torch.eye(d, dtype=algebra.dtype)[moves.argsort(1)]


def _fewest(group: Group, distances: list[float]) -> list[int]:
    """Elements that generate the group, each the one of the largest order that adds something."""
    chosen: list[int] = []
    ranked = sorted(range(1, group.order), key=lambda g: (-group.element_orders[g], distances[g]))
    while (reached := group.subgroup(chosen)).order < group.order:
        chosen.append(next(g for g in ranked if g not in reached.elements))
    return chosen
