"""Networks and layers that respect a group."""

from typing import Any

import torch
from torch import Tensor, nn

from lgn.apply.action import Action
from lgn.nn import GroupNet
from lgn.transforms import AXES


def network(
    action: Action,
    kind: str,
    channels: int,
    classes: int,
    *,
    parameters: int = 25_000,
    kernel_size: int = 5,
    **options: Any,
) -> nn.Module:
    """A `GroupNet` that permutes its outputs as the group permutes the classes; otherwise it is invariant.

    Elements that only change colours or brightness are left out.
    """
    action = action.moving_pixels()
    if kind != "images":
        raise ValueError(
            f"kind must be 'images' for network(), got {kind!r}: use layers() to build a network of your own"
        )
    if classes < 2:
        raise ValueError(f"classes must be at least 2, got {classes}: pass the labels as target of lgn.discover")
    options |= {"parameters": parameters, "kernel_size": kernel_size}
    if action.group.order == 1:
        return GroupNet(channels, classes, group=None, **options)
    moved = None if action.classes is None else action.classes[list(action.group.generator_elements)]
    matrices = exact_matrices(action, kernel_size)
    return GroupNet(channels, classes, group=action.group, action=matrices, classes=moved, **options)


def exact_matrices(action: Action, kernel_size: int) -> Tensor | None:
    """The generators as permutations of the pixels of a kernel; None if a generator interpolates between pixels."""
    matrices = action.matrices((kernel_size, kernel_size))
    permutations = bool(((matrices == 0) | (matrices == 1)).all()) and bool((matrices.sum(1) == 1).all())
    return matrices if permutations else None


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
    if kernel_size is not None and kind in AXES:
        start = action.matrices((kernel_size,) * AXES[kind])
    else:
        matrices = [action.elements[element].matrix for element in action.group.generator_elements]
        if any(matrix is None for matrix in matrices):
            raise ValueError(f"transformations of {kind} must have matrices to make layers, got functions")
        start = torch.stack([matrix.mT.contiguous() for matrix in matrices if matrix is not None])
    return {"group": action.group, "generator": "fixed", "start": start, "bias": "set"}
