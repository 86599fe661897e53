"""Filters of a group whose action is known: one product gives those of all elements; a learned action needs a chain."""

import math
from typing import Any

import torch
from torch import Tensor

from lgn.actions import Patch, vec, walk
from lgn.generators import Generator
from lgn.nn.kernels.plain_gradients import is_transformed


class KnownElements:
    """The matrices of all elements on filters as they lie in memory, made anew where the generators have changed."""

    def __init__(self) -> None:
        self._of: tuple[Tensor, int] | None = None  # the generators' matrices, and how often they had been written
        self._matrices = torch.empty(0)

    def of(self, generator: Generator) -> Tensor | None:
        """(order * d, d), element by element; None where matrices are trained, or not one for all."""
        several = len(generator.group.generators)
        if generator.learning_rate or torch.compiler.is_compiling() or is_transformed():
            return None
        given = generator.matrix()
        if given.shape[:2] != (several, 1) or given.is_inference():
            return None
        if self._of is None or self._of[0] is not given or self._of[1] != given._version:
            self._of, self._matrices = (given, given._version), _elements(generator, given)
        return self._matrices


@torch.no_grad()
def _elements(generator: Generator, given: Tensor) -> Tensor:
    """Words of the generators, in float64; `vec` has another order than memory.  -> (order * d, d)"""
    d = given.shape[-1]
    exact, eye = given[:, 0].double(), torch.eye(d, dtype=torch.float64, device=given.device)
    matrices = torch.stack(walk(lambda place, word: exact[place] @ word, eye, generator.group.tree))
    place = _places(generator.patch).to(given.device)
    in_memory = torch.empty_like(matrices)
    in_memory[:, place[:, None], place] = matrices
    return in_memory.flatten(0, 1).to(given.dtype)


def _places(patch: Patch) -> Tensor:
    """Where each entry of `vec` lies in memory."""
    return vec(torch.arange(math.prod(patch)).view(patch), len(patch))


class KnownFilters(torch.autograd.Function):
    """All elements of all filters, and those then at other places: `(W M^T)[places]`, with `back` the other way round.

    One step of the graph instead of ten; and the gradient of a permutation is its inverse, which torch does not know.

    Shapes: (..., n, m), (order * d, d), (rows,), (rows,) -> (rows, d), with order rows for each filter
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
