"""Is an operator an element of a group? Its rank, condition number, period and closure error."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

LONGEST_PERIOD = 24


@dataclass(frozen=True)
class Description:
    """What a matrix is as an element of a cyclic group."""

    rank: int
    #: Largest over smallest singular value; infinite where the matrix is singular.
    condition_number: float
    #: The q <= 24 that the matrix is nearest to having, and `|A^q - I|_F / sqrt(d)` there (0: a true period).
    period: int
    closure_error: float

    @property
    def is_cyclic(self) -> bool:
        """Whether `A^period = I` to rounding: only then do its powers form a finite group."""
        return self.closure_error < 1e-6


def describe(matrix: Tensor, longest_period: int = LONGEST_PERIOD) -> Description:
    """Rank, condition number, nearest period and closure error of one matrix (d, d)."""
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"matrix must be square (d, d), got shape {tuple(matrix.shape)}")
    values = torch.linalg.svdvals(matrix.double())
    rank = int((values > values[0] * len(values) * torch.finfo(torch.float64).eps).sum())
    condition = float(values[0] / values[-1]) if rank == len(values) else math.inf
    period, error = nearest_period(matrix, longest_period)
    return Description(rank, condition, period, error)


def nearest_period(matrix: Tensor, longest: int = LONGEST_PERIOD) -> tuple[int, float]:
    """`argmin_q |A^q - I|_F / sqrt(d)` over 1 <= q <= longest, and its value; of equals the smallest q."""
    power, d = matrix.double(), matrix.shape[-1]
    identity = torch.eye(d, dtype=torch.float64)
    best, smallest = 1, float((power - identity).norm()) / math.sqrt(d)
    for q in range(2, longest + 1):
        power = power @ matrix.double()
        error = float((power - identity).norm()) / math.sqrt(d)
        if not math.isfinite(error):  # The powers of a large matrix overflow, far from any identity.
            break
        # Rounding must not prefer a multiple of the period to the period.
        if error < smallest * (1 - 1e-6) - 1e-9:
            best, smallest = q, error
    return best, smallest
