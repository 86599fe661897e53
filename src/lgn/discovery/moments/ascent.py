"""The fixed point: `O <- polar(G(O) + shift O)` climbs `<O . T, T>` over the orthogonal group, all starts at once."""

from collections.abc import Mapping

import torch
from torch import Tensor

from lgn.linalg import polar_factor

Moments = Mapping[int, Tensor]  # by degree: (classes, r, ..., r)

# The shift of a start, as a share of the mean gain: with much of it every step climbs, with little steps are long.
FIRST, LONGER, SHORTER, SHORTEST = 0.2, 0.8, 4.0, 50.0


def value_and_gradient(starts: Tensor, source: Moments, target: Moments) -> tuple[Tensor, Tensor]:
    """`sum_l <O . S_l, T_l>` and its gradient `sum_l l G_l(O)`.  (starts, r, r) -> (starts,), (starts, r, r)

    `G_ia = sum T_ijk S_abc O_jb O_kc` for order 3, summed over classes.
    """
    value, slope = starts.new_zeros(len(starts)), torch.zeros_like(starts)
    for degree in source:
        for one, other in zip(source[degree], target[degree], strict=True):
            part = _contract(starts, one, other)
            value += (part * starts).sum((1, 2))
            slope += degree * part
    return value, slope


def _contract(starts: Tensor, source: Tensor, target: Tensor) -> Tensor:
    count, r, _ = starts.shape
    degree = source.ndim
    if degree == 1:
        return torch.outer(target, source).expand(count, r, r)
    moved = (source.reshape(-1, r) @ starts.mT).view(count, *source.shape)  # the last axis is turned
    for axis in range(2, degree):  # then the others, but the first: each is moved to the front, one product for a start
        moved = torch.bmm(starts, moved.movedim(axis, 1).reshape(count, r, -1)).view(count, *source.shape)
    moved = moved.movedim(degree - 1, 1)  # where the first has come to; the order of the others is all one
    return torch.einsum("ix,sax->sia", target.reshape(r, -1), moved.reshape(count, r, -1))


def climb(
    starts: Tensor,
    source: Moments,
    target: Moments | None = None,
    steps: int = 60,
    inside: Tensor | None = None,
    tolerance: float = 0.0,
    restless: bool = False,
) -> tuple[Tensor, Tensor]:
    """Climb from every start; with `inside` (r, r), a mask of 0 and 1, within block-diagonal matrices.

    Never down, but where it is restless: then all steps are long, wherever they lead.

    Shapes: (starts, r, r) -> (starts, r, r) and the values there, (starts,)
    """
    target = source if target is None else target
    if not len(starts):
        return starts, starts.new_zeros(0)
    value, slope = value_and_gradient(starts, source, target)
    size = sum(degree * float(each.square().sum()) for degree, each in source.items()) / starts.shape[-1]
    shift = torch.full_like(value, FIRST * size)
    ends, heights = starts.clone(), value.clone()
    going = torch.arange(len(starts))  # what has come to rest is not moved any more
    for _ in range(steps):
        raised = slope + shift[:, None, None] * starts
        following = polar_factor(raised if inside is None else raised * inside)
        after, steeper = value_and_gradient(following, source, target)
        better = torch.ones_like(value, dtype=torch.bool) if restless else after >= value
        moved = (following - starts).abs().amax((1, 2))
        starts = torch.where(better[:, None, None], following, starts)
        slope = torch.where(better[:, None, None], steeper, slope)
        value = torch.where(better, after, value)
        ends[going], heights[going] = starts, value
        if restless:
            continue
        resting = (moved < tolerance) & (better | (shift >= SHORTEST * size))
        shift = torch.where(better, shift * LONGER, (shift * SHORTER).clamp(max=SHORTEST * size))
        if resting.any():
            left = ~resting
            starts, slope, value, shift, going = (each[left] for each in (starts, slope, value, shift, going))
            if not len(going):
                break
    return ends, heights
