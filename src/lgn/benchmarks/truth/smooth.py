"""Smooth random fields: what trained filters and images look like where nothing is behind them."""

import torch
from torch import Tensor


def smooth_fields(shape: tuple[int, ...], pixels: float, generator: torch.Generator) -> Tensor:
    """Gaussian fields of unit variance and covariance `exp(-r^2 / (2 l^2))`, l in pixels.  -> float64 (..., n, m)"""
    left, right = (_root(side, pixels) for side in shape[-2:])
    return left @ torch.randn(shape, generator=generator, dtype=torch.float64) @ right.T


def _root(side: int, pixels: float) -> Tensor:
    place = torch.arange(side, dtype=torch.float64)
    covariance = torch.exp(-((place[:, None] - place) ** 2) / (2 * pixels**2))
    return torch.linalg.cholesky(covariance + 1e-9 * torch.eye(side, dtype=torch.float64))
