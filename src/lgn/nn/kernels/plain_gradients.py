"""Plain expressions for second derivatives, `torch.func` and forward mode, which faster kernels do not support."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd import forward_ad


def is_transformed() -> bool:
    """Whether `torch.func` or forward-mode differentiation is active: both need plain expressions."""
    return torch._C._are_functorch_transforms_active() or forward_ad._current_level >= 0


def plain_gradients(
    function: Callable[..., Any], inputs: Sequence[Tensor | None], wanted: Sequence[bool], gradients: Sequence[Tensor]
) -> tuple[Tensor | None, ...]:
    """The gradients of `function` for the wanted inputs, by autograd, so that they can be differentiated again.

    The backward pass of an autograd function calls it if it must be differentiable itself: `torch.is_grad_enabled()`.
    """
    with torch.enable_grad():
        # Views, because a tensor that is passed twice has one gradient for each place.
        places = [None if value is None else value.view_as(value) for value in inputs]
        outputs = function(*places)
        chosen = [place for place, want in zip(places, wanted, strict=True) if want and place is not None]
        found = iter(torch.autograd.grad(outputs, chosen, gradients, create_graph=True, allow_unused=True))
    return tuple(
        next(found) if want and place is not None else None for place, want in zip(places, wanted, strict=True)
    )
