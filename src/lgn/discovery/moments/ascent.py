"""The fixed point `O <- polar(G(O) + shift O)`, which climbs `<O . T, T>` over the orthogonal group from all starts."""

from collections.abc import Mapping

import torch
from torch import Tensor

from lgn.linalg import polar_factor

#: Moments by degree, (classes, r, ..., r).
Moments = Mapping[int, Tensor]
#: The first shift as a share of the mean gain, its factors after good and bad steps, and its maximum. With a large
#: shift every step climbs; with a small shift steps are long.
FIRST, LONGER, SHORTER, SHORTEST = 0.2, 0.8, 4.0, 50.0


def value_and_gradient(starts: Tensor, source: Moments, target: Moments) -> tuple[Tensor, Tensor]:
    """`sum_l <O . S_l, T_l>` and its gradient `sum_l l G_l(O)`.  (starts, r, r) -> (starts,), (starts, r, r)

    `G_ia = sum T_ijk S_abc O_jb O_kc` for order 3, summed over classes.
    """
    count, r, _ = starts.shape
    value, slope = starts.new_zeros(count), torch.zeros_like(starts)
    for degree in source:
        for one, other in zip(source[degree], target[degree], strict=True):
            if degree == 1:
                part = torch.outer(other, one).expand(count, r, r)
            else:
                moved = (one.reshape(-1, r) @ starts.mT).view(count, *one.shape)  # the last axis is turned
                for axis in range(2, degree):  # then every other axis except the first, moved to the front
                    moved = torch.bmm(starts, moved.movedim(axis, 1).reshape(count, r, -1)).view(count, *one.shape)
                moved = moved.movedim(degree - 1, 1)  # the first axis; the order of the others does not matter
                part = torch.einsum("ix,sax->sia", other.reshape(r, -1), moved.reshape(count, r, -1))
            value += (part * starts).sum((1, 2))
            slope += degree * part
    return value, slope


def climb(
    starts: Tensor,
    source: Moments,
    target: Moments | None = None,
    steps: int = 60,
    inside: Tensor | None = None,
    tolerance: float = 0.0,
    restless: bool = False,
) -> tuple[Tensor, Tensor]:
    """Climb from every start until steps are below the tolerance.

    inside: a mask (r, r) of 0 and 1 for block-diagonal matrices.  restless: long steps only, even if they descend.

    Shapes: (starts, r, r) -> (starts, r, r) and the values there, (starts,)
    """
    target = source if target is None else target
    if not len(starts):
        return starts, starts.new_zeros(0)
    value, slope = value_and_gradient(starts, source, target)
    size = sum(degree * float(tensor.square().sum()) for degree, tensor in source.items()) / starts.shape[-1]
    shift = torch.full_like(value, FIRST * size)
    ends, heights = starts.clone(), value.clone()
    active = torch.arange(len(starts))  # starts that have converged are not moved any more
    for _ in range(steps):
        raised = slope + shift[:, None, None] * starts
        following = polar_factor(raised if inside is None else raised * inside)
        after, steeper = value_and_gradient(following, source, target)
        better = torch.ones_like(value, dtype=torch.bool) if restless else after >= value
        moved = (following - starts).abs().amax((1, 2))
        starts = torch.where(better[:, None, None], following, starts)
        slope = torch.where(better[:, None, None], steeper, slope)
        value = torch.where(better, after, value)
        ends[active], heights[active] = starts, value
        if restless:
            continue
        converged = (moved < tolerance) & (better | (shift >= SHORTEST * size))
        shift = torch.where(better, shift * LONGER, (shift * SHORTER).clamp(max=SHORTEST * size))
        if converged.any():
            left = ~converged
            starts, slope, value, shift, active = (x[left] for x in (starts, slope, value, shift, active))
            if not len(active):
                break
    return ends, heights
