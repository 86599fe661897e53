"""Layers that keep a group, as keyword arguments of the layers in `lgn.nn`."""

from typing import Any

import torch

from lgn.apply.action import Action
from lgn.transforms import AXES


def layer_options(action: Action, kind: str, kernel_size: int | None = None) -> dict[str, Any]:
    """The arguments of `GroupConv2d` and its relatives, or of `GroupLinear` for tables.

    Elements that permute classes are left out, because layers do not know the classes. For a row x of a table and a
    filter w, `<B^j w, A x> = <B^(j+1) w, x>` if B is the transpose of A. So layers of tables take transposed matrices.
    """
    action = action.preserving_classes()
    if kind in AXES:
        if kernel_size is None:
            raise ValueError(f"kernel_size must be given for {kind}, got None")
        action = action.moving_pixels()
    if action.group.order < 2:
        raise ValueError(f"group must have at least 2 elements that preserve every class, got {action.group.name}")
    if kind in AXES:
        assert kernel_size is not None
        start = action.matrices((kernel_size,) * AXES[kind])
    else:
        matrices = [action.elements[element].matrix for element in action.group.generator_elements]
        if any(matrix is None for matrix in matrices):
            raise ValueError(f"transformations of {kind} must have matrices to make layers, got functions")
        start = torch.stack([matrix.mT.contiguous() for matrix in matrices if matrix is not None])
    return {"group": action.group, "generator": "fixed", "start": start, "bias": "set"}
