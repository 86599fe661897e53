"""Eigenvalues and singular values of a generator, and its distance from a finite cyclic group."""

import torch
from torch import Tensor

from lgn.analysis.generator import Spectrum
from lgn.measures import closure_error
from lgn.transforms.describe import describe


def spectrum(matrix: Tensor, order: int | None = None) -> Spectrum:
    """The spectrum of one generator (d, d) whose filter sets have `order` elements, if they are known."""
    matrix = matrix.double()
    eigenvalues = torch.linalg.eigvals(matrix)
    eigenvalues = eigenvalues[eigenvalues.abs().argsort(descending=True)]
    element = describe(matrix)
    return Spectrum(
        eigenvalues=tuple((value.real, value.imag) for value in eigenvalues.tolist()),
        singular_values=tuple(torch.linalg.svdvals(matrix).tolist()),
        rank=element.rank,
        condition_number=element.condition_number,
        period=element.period,
        period_error=element.period_error,
        closure_error=None if order is None else float(closure_error(matrix, order)),
        root_distance=None if order is None else root_distance(eigenvalues, order),
    )


def root_distance(eigenvalues: Tensor, order: int) -> float:
    """The mean distance of complex eigenvalues to the nearest p-th root of unity: 0 if `A^p = I`."""
    angles = 2 * torch.pi * torch.arange(order, dtype=torch.float64) / order
    roots = torch.polar(torch.ones_like(angles), angles)
    return float((eigenvalues[:, None] - roots[None, :]).abs().amin(dim=1).mean())
