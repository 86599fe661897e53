"""Eigenvalues and singular values, and how near a generator is to generating a finite cyclic group."""

import torch
from torch import Tensor

from lgn.analysis.generator import Spectrum
from lgn.measures import closure_error
from lgn.transforms.describe import describe


def spectrum(matrix: Tensor, order: int | None = None) -> Spectrum:
    """The spectrum of one generator (d, d); `order` is the p of its filter sets, where it has one."""
    matrix = matrix.double()
    eigenvalues = torch.linalg.eigvals(matrix)
    eigenvalues = eigenvalues[eigenvalues.abs().argsort(descending=True)]
    about = describe(matrix)
    return Spectrum(
        eigenvalues=tuple((value.real, value.imag) for value in eigenvalues.tolist()),
        singular_values=tuple(torch.linalg.svdvals(matrix).tolist()),
        rank=about.rank,
        condition_number=about.condition_number,
        period=about.period,
        period_error=about.closure_error,
        closure_error=None if order is None else float(closure_error(matrix, order)),
        root_distance=None if order is None else root_distance(eigenvalues, order),
    )


def root_distance(eigenvalues: Tensor, order: int) -> float:
    """The mean distance of complex eigenvalues from the nearest p-th root of unity: 0 where `A^p = I`."""
    angles = 2 * torch.pi * torch.arange(order, dtype=torch.float64) / order
    roots = torch.polar(torch.ones_like(angles), angles)
    return float((eigenvalues[:, None] - roots[None, :]).abs().amin(dim=1).mean())
