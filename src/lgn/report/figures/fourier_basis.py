"""Circulant matrices and the Fourier basis (app. D): figures 10 and 11."""

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from lgn.actions import Patch
from lgn.analysis.structure import random_circulant, transform
from lgn.report.figures.style import caption, grid, new_figure, place

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def circulant_and_diagonal(d: int = 36, seed: int = 0) -> "Figure":
    """A random diagonal matrix D and the circulant matrix F^-1 D F (fig. 10)."""
    diagonal, circulant = random_circulant(d, torch.Generator().manual_seed(seed))
    figure = new_figure(5.4, 3.4)
    left, right = grid(figure, 1, 2)
    place(left, circulant, "circulant, F⁻¹ D F", size=10)
    place(right, diagonal.real, "diagonal, the real part of D", size=10)
    caption(
        figure, f"Circulant matrices are diagonal in the Fourier basis. Data: a random diagonal, {d}x{d}, seed {seed}."
    )
    return figure


def diagonalisation(matrix: Tensor, patch: Patch, name: str, data: str, seed: int = 0) -> "Figure":
    """A random matrix and a learned generator A in the Fourier basis (fig. 11): `|F A F^-1|`."""
    matrix = matrix.double()
    gaussian = torch.randn(matrix.shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    figure = new_figure(10.2, 3.6)
    axes = grid(figure, 1, 4)
    for column, (title, a) in enumerate((("random", gaussian), (name, matrix))):
        transformed = transform(a, (len(a),)).abs()
        share = float(transformed.diagonal().square().sum() / transformed.square().sum())
        place(axes[2 * column], a, title, block=patch[0], size=10)
        note = f"{100 * share:.1f} % of the energy on the diagonal"
        place(axes[2 * column + 1], transformed, "in the Fourier basis", size=10, note=note)
    caption(
        figure,
        f"A random matrix with Gaussian entries (seed {seed}), and {name}, in the Fourier basis: a circulant matrix "
        f"would be diagonal. Data: {data}.",
    )
    return figure
