"""`DoublyStochastic`: mixtures of permutations, by Sinkhorn's algorithm."""

import math

import torch
from torch import Tensor, nn

from lgn.generators.base import Generator
from lgn.linalg import double

ITERATIONS = 1000  # the largest number; tens are usual, a start with many entries near zero needs more
GRAPH_ITERATIONS = 60  # the number in a compiled or exported network
FLOOR = 1e-2  # lower limit for the entries of a start, as a share of the largest; with less, scaling is slow


class DoublyStochastic(Generator):
    """`A >= 0` with rows and columns that sum to 1: `exp(logits)`, scaled by Sinkhorn's algorithm.

    By Birkhoff's theorem these are the mixtures of permutations. A doubly stochastic start is kept, except that entries
    of zero become 1e-30; any other start is projected approximately, by clipping it from below and scaling.
    """

    name = "doubly-stochastic"
    guarantee = "A >= 0, A 1 = A^T 1 = 1"

    def _project(self, start: Tensor) -> None:
        member = _violation(double(start)).to(start.device) <= 1e-4
        largest = start.abs().amax((-2, -1)).clamp_min(torch.finfo(start.dtype).tiny)
        floor = torch.where(member, torch.full_like(largest, 1e-30), FLOOR * largest)
        balanced = _sinkhorn(double(torch.maximum(start, floor[..., None, None])).log())
        # The balanced logits, so that later calls converge within a few iterations.
        self.logits = nn.Parameter(balanced.clamp_min(-70).to(start))

    def determined_dimension(self, bases: int) -> int:
        # The image of constant filters is known.
        return min(super().determined_dimension(bases) + 1, math.prod(self.patch))

    def matrix(self) -> Tensor:
        # In float64, so that the guarantee is as exact as the type of the result allows.
        return _sinkhorn(double(self.logits)).exp().to(self.logits)

    @torch.no_grad()
    def guarantee_error(self) -> Tensor:
        return _violation(self.matrix())


def _sinkhorn(logits: Tensor) -> Tensor:
    """Normalise rows and columns in turn until both sum to 1, in logarithms.  (..., d, d) -> (..., d, d)"""
    # A graph cannot stop early, so it has a fixed number of iterations that suffices.
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
