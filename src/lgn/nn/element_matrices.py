"""The matrices of all elements of a group with fixed generators, and the filters that one product with them gives."""

import math
from typing import Any

import torch
from torch import Tensor

from lgn.actions import vec, walk
from lgn.generators import Generator
from lgn.nn.kernels.plain_gradients import is_transformed


class ElementMatrices:
    """The matrices of all elements of a group, computed from fixed generators, and anew only after these change."""

    def __init__(self) -> None:
        self._given: Tensor | None = None  # the generators' matrices
        self._version = 0
        self._matrices = torch.empty(0)

    def of(self, generator: Generator) -> Tensor | None:
        """The matrices, element by element, for filters in memory order; None if they are trained or not shared.

        Shapes: -> (order * d, d)
        """
        if generator.learning_rate or torch.compiler.is_compiling() or is_transformed():
            return None
        given = generator.matrix()
        if given.shape[:2] != (len(generator.group.generators), 1) or given.is_inference():
            return None
        if self._given is not given or self._version != given._version:
            self._given, self._version, self._matrices = given, given._version, _products(generator, given)
        return self._matrices


@torch.no_grad()
def _products(generator: Generator, given: Tensor) -> Tensor:
    """The products of generators that give every element, in float64 on the CPU.  -> (order * d, d)"""
    exact = given[:, 0].cpu().double()
    eye = torch.eye(given.shape[-1], dtype=torch.float64)
    matrices = torch.stack(walk(lambda place, matrix: exact[place] @ matrix, eye, generator.group.tree))
    # The place in memory of every entry of `vec`, which has another order.
    place = vec(torch.arange(math.prod(generator.patch)).view(generator.patch), len(generator.patch))
    in_memory = torch.empty_like(matrices)
    in_memory[:, place[:, None], place] = matrices
    return in_memory.flatten(0, 1).to(given.dtype).to(given.device)


class ElementFilters(torch.autograd.Function):
    """All elements applied to all filters, then the rows permuted: `(W M^T)[places]`; `back` is the inverse of places.

    One step of the autograd graph instead of ten. torch does not know that the gradient of a permutation is its
    inverse.

    Shapes: (..., n, m), (order * d, d), (rows,), (rows,) -> (rows, d), with `order` rows for every filter
    """

    @staticmethod
    def forward(ctx: Any, filters: Tensor, matrices: Tensor, places: Tensor, back: Tensor) -> Tensor:
        ctx.save_for_backward(matrices, back)
        ctx.shape, d = filters.shape, matrices.shape[1]
        return (filters.reshape(-1, d) @ matrices.mT).view(-1, d).index_select(0, places)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor | None, ...]:
        matrices, back = ctx.saved_tensors
        return (g.index_select(0, back).view(-1, len(matrices)) @ matrices).view(ctx.shape), None, None, None
