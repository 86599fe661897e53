"""Is an operator an element of a group? Its rank, condition number, period and period error."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from lgn.measures import nearest_period


@dataclass(frozen=True)
class Description:
    """What a matrix is as an element of a cyclic group."""

    rank: int
    #: Largest over smallest singular value; infinite where the matrix is singular.
    condition_number: float
    #: The nearest period q <= 24, and `|A^q - I|_F / sqrt(d)` for it (0: a true period).
    period: int
    period_error: float

    @property
    def is_cyclic(self) -> bool:
        """Whether `A^period = I` to rounding: only then do its powers form a finite group."""
        return self.period_error < 1e-6


def describe(matrix: Tensor) -> Description:
    """Rank, condition number, nearest period and its error of one matrix (d, d)."""
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"matrix must be square (d, d), got shape {tuple(matrix.shape)}")
    values = torch.linalg.svdvals(matrix.double())
    rank = int((values > values[0] * len(values) * torch.finfo(torch.float64).eps).sum())
    condition = float(values[0] / values[-1]) if rank == len(values) else math.inf
    period, error = nearest_period(matrix)
    return Description(rank, condition, period, error)
