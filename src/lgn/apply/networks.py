"""A classifier that respects a group of symmetries of images."""

from typing import Any

from torch import nn

from lgn.apply.action import Action
from lgn.apply.symmetrise import Symmetrised
from lgn.nn import GroupNet


def network(
    action: Action,
    kind: str,
    channels: int,
    classes: int,
    parameters: int = 25_000,
    *,
    kernel_size: int = 5,
    **options: Any,
) -> nn.Module:
    """A `GroupNet` whose output does not change under elements that preserve the classes, and permutes with the others.

    The elements that preserve all classes are built into the layers. If others permute the classes, the network is
    averaged over the group, which carries the permutation exactly.
    """
    if kind != "images":
        raise ValueError(f"network needs images, got {kind}: use layers() to build a network of your own")
    if classes < 2:
        raise ValueError(f"network needs at least 2 classes, got {classes}: pass the labels as target of lgn.discover")
    inner = action.preserving_classes()
    options |= {"parameters": parameters, "kernel_size": kernel_size}
    if inner.group.order == 1:
        net = GroupNet(channels, classes, group=None, **options)
    else:
        matrices = inner.matrices((kernel_size, kernel_size))
        exact = bool(((matrices == 0) | (matrices == 1)).all()) and bool((matrices.sum(1) == 1).all())
        # The catalogue knows matrices for turns between the pixels, which resampling alone would blur.
        net = GroupNet(channels, classes, group=inner.group, action=matrices if exact else None, **options)
    return Symmetrised(net, action) if action.classes is not None else net
