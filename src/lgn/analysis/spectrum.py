"""Eigenvalues and singular values of a generator, and its distance from a finite cyclic group."""

import math

import torch
from torch import Tensor

from lgn.analysis.generator import Spectrum
from lgn.linalg import double
from lgn.measures import closure_error, nearest_period


def spectrum(matrix: Tensor, order: int | None = None) -> Spectrum:
    """The spectrum of one matrix (d, d); `order` is the number of elements of its filter sets, if it has any."""
    matrix = double(matrix)
    eigenvalues = torch.linalg.eigvals(matrix)
    eigenvalues = eigenvalues[eigenvalues.abs().argsort(descending=True)]
    values = torch.linalg.svdvals(matrix)
    rank = int((values > values[0] * len(values) * torch.finfo(torch.float64).eps).sum())
    period, period_error = nearest_period(matrix)
    return Spectrum(
        eigenvalues=tuple((value.real, value.imag) for value in eigenvalues.tolist()),
        singular_values=tuple(values.tolist()),
        rank=rank,
        condition_number=float(values[0] / values[-1]) if rank == len(values) else math.inf,
        period=period,
        period_error=period_error,
        closure_error=None if order is None else float(closure_error(matrix, order)),
        root_distance=None if order is None else root_distance(eigenvalues, order),
    )


def root_distance(eigenvalues: Tensor, order: int) -> float:
    """The mean distance of complex eigenvalues to the nearest p-th root of unity: 0 if `A^p = I`."""
    angles = 2 * torch.pi * torch.arange(order, dtype=torch.float64) / order
    roots = torch.polar(torch.ones_like(angles), angles)
    return float((eigenvalues[:, None] - roots[None, :]).abs().amin(dim=1).mean())
