"""`DoublyStochastic`: mixtures of permutations, by Sinkhorn's scaling."""

import math

import torch
from torch import Tensor, nn

from lgn.generators.base import Generator

ITERATIONS = 1000  # at most: some tens are usual, a start with many near-zeros needs more
GRAPH_ITERATIONS = 60  # in a compiled or exported network
FLOOR = 1e-2  # of the largest entry: what a start outside the family has at least; less, and scaling takes for ever


class DoublyStochastic(Generator):
    """`A >= 0` with rows and columns that sum to 1: `exp(logits)`, scaled until both hold (Sinkhorn).

    By Birkhoff's theorem these are the mixtures of permutations. A doubly stochastic start is kept, entries of zero as
    1e-30; any other is projected approximately, by clipping it from below and scaling.
    """

    name = "doubly-stochastic"
    law = "A >= 0, A 1 = A^T 1 = 1"

    def _start_from(self, start: Tensor) -> None:
        member = _violation(start.double()) <= 1e-4
        largest = start.abs().amax((-2, -1)).clamp_min(torch.finfo(start.dtype).tiny)
        floor = torch.where(member, torch.full_like(largest, 1e-30), FLOOR * largest)
        balanced = _sinkhorn(torch.maximum(start, floor[..., None, None]).double().log())
        # From where it is balanced: every later call begins near its end.
        self.logits = nn.Parameter(balanced.clamp_min(-70).to(start.dtype))

    def determined(self, bases: int) -> int:
        return min(super().determined(bases) + 1, math.prod(self.patch))  # it is known on constants

    def matrix(self) -> Tensor:
        # In float64: the law is as exact as the type of the result allows.
        return _sinkhorn(self.logits.double()).exp().to(self.logits.dtype)

    @torch.no_grad()
    def law_error(self) -> Tensor:
        return _violation(self.matrix())


def _sinkhorn(logits: Tensor) -> Tensor:
    """Normalise rows and columns in turn until both sum to 1, in logarithms.  (..., d, d) -> (..., d, d)"""
    # A graph cannot stop where the numbers say so: there, so many rounds that stopping makes no difference.
    in_graph = torch.compiler.is_compiling()
    for number in range(GRAPH_ITERATIONS if in_graph else ITERATIONS):
        logits = logits - logits.logsumexp(-2, keepdim=True)
        sums = logits.logsumexp(-1, keepdim=True)
        if not in_graph and number % 5 == 4 and float(sums.detach().abs().max()) < 1e-13:
            break
        logits = logits - sums
    return logits


def _violation(matrix: Tensor) -> Tensor:
    """The largest error of a row's or column's sum, or the most negative entry.  (..., d, d) -> (...)"""
    sums = torch.cat([matrix.sum(-1), matrix.sum(-2)], -1)
    return torch.maximum((sums - 1).abs().amax(-1), -matrix.amin((-2, -1)))
