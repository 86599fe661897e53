"""Maps of any number of axes: exchanging and reversing axes, and shifts."""

from collections.abc import Sequence

import torch
from torch import Tensor

FILLS = ("cyclic", "zeros")


def move_axes(x: Tensor, signed: Tensor) -> Tensor:
    """What is at the place s comes to `S s`, places measured from the centre; S exchanges axes and signs.

    Products act one after the other, the right factor first.  (..., n, m), (axes, axes) -> (..., m, n) or the same
    """
    axes = len(signed)
    towards = signed.abs().argmax(0).tolist()  # the axis that each axis of x becomes
    order = [towards.index(axis) for axis in range(axes)]
    moved = x.permute(*range(x.ndim - axes), *(x.ndim - axes + axis for axis in order))
    turned = [axis - axes for axis in range(axes) if signed[axis].sum() < 0]
    return moved.flip(turned) if turned else moved


def shift(x: Tensor, places: Sequence[int], fill: str = "cyclic") -> Tensor:
    """Move by a number of pixels along each of the last axes: "cyclic" wraps round, "zeros" fills with zeros."""
    if fill not in FILLS:
        raise ValueError(f"fill must be 'cyclic' or 'zeros', got {fill!r}")
    axes = tuple(range(-len(places), 0))
    moved = x.roll(tuple(places), axes)
    if fill == "zeros":
        for axis, far in zip(axes, places, strict=True):
            source = torch.arange(x.shape[axis], device=x.device) - far
            inside = ((source >= 0) & (source < x.shape[axis])).to(x.dtype)
            moved = moved * inside.view(-1, *(1,) * (-axis - 1))
    return moved
