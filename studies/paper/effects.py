"""What an action does to the identity image (fig. 2), as three numbers that the paper's words are about."""

import torch
from torch import Tensor


def darkening(image: Tensor) -> float:
    """Less light towards later pixels: minus the correlation of a pixel's value with its place in `vec`."""
    values = image.T.flatten()
    return -float(torch.corrcoef(torch.stack([values, torch.arange(len(values), dtype=values.dtype)]))[0, 1])


def near_diagonal(image: Tensor) -> float:
    """The share of energy within one pixel of the diagonal: a line that was turned a little and smoothed."""
    return float(image.triu(-1).tril(1).square().sum() / image.square().sum())


def across_antidiagonal(image: Tensor) -> float:
    """The size of the mean below the antidiagonal less the mean above it, in standard deviations."""
    n, m = image.shape
    place = torch.arange(n)[:, None] / max(n - 1, 1) + torch.arange(m) / max(m - 1, 1)
    return float(abs(image[place > 1].mean() - image[place < 1].mean()) / image.std())


EFFECTS = {
    "darkening": darkening,
    "near the diagonal": near_diagonal,
    "across the antidiagonal": across_antidiagonal,
}
