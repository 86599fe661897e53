"""A classifier that respects a group of symmetries of images."""

from typing import Any

from torch import Tensor, nn

from lgn.apply.action import Action
from lgn.nn import GroupNet


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
