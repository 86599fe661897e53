"""Random starts for exact groups: orthogonal representations whose traces are like those of pixel permutations."""

import math

import torch
from torch import Tensor

from lgn.generators.decomposition import blocks_of
from lgn.generators.starts import start_matrices
from lgn.groups import Group, as_group

# Note [Traces of starts]
# The multiplicities of the irreducible representations in A never change, so a start must guess them. The trace of a
# permutation is the number of pixels that it fixes: 0 or 1 for a rotation of a square, as in the regular
# representation, and up to one side for a flip. So elements of order 2 that are not squares, such as flips, get a
# random number of fixed pixels for each start, and all other elements get none.


def permutation_like(group: Group | str | int, d: int, count: int) -> list[Tensor]:
    """Random starts `Q R_a Q^T` for each generator a of a group, for the argument `start` of layers and generators.

    See Note [Traces of starts].  -> a list with (count, 1, d, d) for each generator
    """
    group = as_group(group)
    if d < 2 or count < 1:
        raise ValueError(f"d must be at least 2 and count at least 1, got {d} and {count}")
    squares = set(group.table.diagonal().tolist())
    flips = [g for g in range(1, group.order) if group.element_orders[g] == 2 and g not in squares]
    blocks = []
    for _ in range(count):
        character = torch.zeros(group.order, dtype=torch.float64)
        character[0] = d
        character[flips] = float(torch.randint(math.isqrt(d) // 2 + 1, ()) * 2 + d % 2)
        blocks.append(blocks_of(character, d, group)[list(group.generator_elements)])
    frames = start_matrices("orthogonal", (count, 1), d)
    stacked = torch.stack(blocks, 1).unsqueeze(2).to(frames)  # (generators, count, 1, d, d)
    return list(frames @ stacked @ frames.mT)
