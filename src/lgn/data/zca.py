"""ZCA whitening: the symmetric matrix that removes the correlations between the pixels of a set of images."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from lgn.data.errors import DataError

CHUNK = 2048  # images of one step: 25 MB of float32 for CIFAR-10
MAX_PIXELS = 8192  # the matrix then has 268 MB of float32, and its eigenvectors take minutes


@dataclass(frozen=True, eq=False)
class Whitening:
    """`x -> U (Lambda + eps I)^(-1/2) U^T (x - mean)`, where `U Lambda U^T` is the covariance of train.

    Shapes: mean float32 (D,), matrix float32 (D, D), with D = C * H * W.
    """

    mean: Tensor
    matrix: Tensor

    def apply(self, images: Tensor) -> Tensor:
        """Whitened images.  float32 (N, C, H, W) -> float32 (N, C, H, W)"""
        flat = images.flatten(1) - self.mean.to(images.device)
        return (flat @ self.matrix.to(images.device)).reshape(images.shape)  # the matrix is symmetric


def fit_whitening(images: Tensor, as_float: Callable[[Tensor], Tensor], eps: float) -> Whitening:
    """Fit the whitening of training images; `as_float` standardises a chunk of them.

    The mean is subtracted before the products are summed in float64, so that a pixel that is constant in train has
    exactly no variance.

    Shapes: images uint8 (N, C, H, W)
    """
    pixels = images[0].numel()
    if pixels > MAX_PIXELS:
        raise DataError(
            f"images must have at most {MAX_PIXELS} values for zca, got {tuple(images.shape[1:])}; "
            "choose a smaller image_size, grey, or standardise"
        )
    mean = torch.zeros(pixels, dtype=torch.float64, device=images.device)
    covariance = torch.zeros(pixels, pixels, dtype=torch.float64, device=images.device)
    for chunk in images.split(CHUNK):
        mean += as_float(chunk).flatten(1).sum(0, dtype=torch.float64) / len(images)
    for chunk in images.split(CHUNK):
        centred = as_float(chunk).flatten(1) - mean.float()
        covariance += centred.T @ centred / len(images)
    variances, directions = torch.linalg.eigh(covariance)
    scaled = directions * (variances.clamp(min=0) + eps).rsqrt()
    return Whitening(mean.float(), (scaled @ directions.T).float())
