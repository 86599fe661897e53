"""Smooth random fields, images and matrices: what trained filters look like where nothing is behind them."""

import torch
from torch import Tensor

PATCH, D = (6, 6), 36


def white(count: int, random: torch.Generator, *shape: int) -> Tensor:
    """Independent normal numbers, float64 (count, 36, 36), or of another shape."""
    return torch.randn(count, *(shape or (D, D)), generator=random, dtype=torch.float64)


def smooth_fields(shape: tuple[int, ...], pixels: float, random: torch.Generator) -> Tensor:
    """Gaussian fields of unit variance and covariance `exp(-r^2 / (2 l^2))`, l in pixels.  -> float64 (..., n, m)"""
    return smoothed(torch.randn(shape, generator=random, dtype=torch.float64), pixels)


def smooth_images(count: int, columns: int, pixels: float, random: torch.Generator) -> Tensor:
    """Smooth 6x6 images as columns, (count, 36, columns)."""
    return smooth_fields((count, columns, *PATCH), pixels, random).mT.flatten(-2).mT


def smooth_matrices(pixels: float, count: int, random: torch.Generator) -> Tensor:
    """Matrices on 6x6 patches that are smooth in what they read and in what they write, (count, 36, 36)."""
    written = smooth_images(count, D, pixels, random)  # by input pixel, so far independent
    return smoothed(written.unflatten(-1, PATCH), pixels).flatten(-2)


def smoothed(noise: Tensor, pixels: float) -> Tensor:
    """White noise made smooth along its last two axes.  (..., n, m) -> (..., n, m)"""
    left, right = (smoothing(side, pixels) for side in noise.shape[-2:])
    return left @ noise @ right.T


def smoothing(side: int, pixels: float) -> Tensor:
    """R with `R R^T = exp(-(i - j)^2 / (2 l^2))`, (side, side)."""
    place = torch.arange(side, dtype=torch.float64)
    covariance = torch.exp(-((place[:, None] - place) ** 2) / (2 * pixels**2))
    return torch.linalg.cholesky(covariance + 1e-9 * torch.eye(side, dtype=torch.float64))
