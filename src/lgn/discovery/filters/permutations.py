"""The group of permutations of pixels that spans an algebra."""

import torch
from torch import Tensor

from lgn.groups import Group, from_permutations
from lgn.groups.closing import generated_by
from lgn.linalg import nearest_permutation

NEAR = 0.5  # the largest relative distance of a permutation in the group from the algebra
DRAWS = 40  # the number of random members for each dimension

# Note [Permutations in an algebra]
# If permutations rho(g) span an algebra, a random member is sum_g c_g rho(g), and the permutation nearest to it is
# rho(g) for the largest c_g. Random members therefore show all elements. The permutations nearest to the algebra, as
# many as its dimension, must be closed under products; otherwise the group is not a group of permutations, or noise
# hides it.


def permutation_group(algebra: Tensor, seed: int = 0) -> tuple[Group | None, Tensor | None]:
    """The group of permutations that spans an algebra, and its generators (g, d, d); None twice if there is none.

    The first generator has the largest order, and is nearest to the algebra among the elements of that order.

    Shapes: (p, d, d), a basis of the algebra
    """
    order, d = algebra.shape[0], algebra.shape[-1]
    basis = torch.linalg.qr(algebra.flatten(1).T).Q  # (d * d, p)
    random = torch.Generator().manual_seed(seed)
    found: dict[tuple[int, ...], float] = {}
    for _ in range(DRAWS * order):
        member = (basis @ torch.randn(order, generator=random, dtype=basis.dtype)).view(d, d)
        permutation = nearest_permutation(member)
        key = tuple(permutation.argmax(0).tolist())  # the place to which each pixel moves
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
    # Elements are numbered by their distance, so the nearest of equal orders comes first.
    moves = whole.elements[list(generated_by(whole.group, range(1, order)).generator_elements)]
    group = from_permutations(moves, limit=order).group
    return group, torch.eye(d, dtype=algebra.dtype)[moves.argsort(1)]
