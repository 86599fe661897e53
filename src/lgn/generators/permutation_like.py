"""Random starts for exact groups: orthogonal representations with the traces of groups that move pixels about."""

import math

import torch
from torch import Tensor

from lgn.generators.decomposition import blocks_of
from lgn.generators.starts import start_matrices
from lgn.groups import Group, as_group

# Note [Traces of starts]
# How often each irreducible representation is in A stays as it starts, so a start must guess it. The trace of a
# permutation is the number of pixels that it leaves in place: one or none for a turn of a square, which is the regular
# representation but for what is left over, and up to a side for a flip. So elements that are their own inverse and no
# square of another, as flips are, leave some number of pixels in place, another for every start; all others leave none.


def permutation_like(group: Group | int, d: int, count: int) -> list[Tensor]:
    """`Q R_a Q^T` in random frames Q, for each generator a of a group.  -> one (count, 1, d, d) for each

    See Note [Traces of starts]. For `start=` of layers and generators.
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
    several = torch.stack(blocks, 1).unsqueeze(2).to(frames)  # (generators, count, 1, d, d)
    return list(frames @ several @ frames.mT)
