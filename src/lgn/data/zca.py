"""ZCA whitening: the symmetric matrix that takes the correlations out of a set of images."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from lgn.data.errors import DataError

CHUNK = 2048  # images at a time: 25 MB of float32 for CIFAR-10
MAX_PIXELS = 8192  # the matrix has this squared: 268 MB of float32, and its eigenvectors cost minutes


@dataclass(frozen=True, eq=False)
class Whitening:
    """`x -> U (Lambda + eps I)^(-1/2) U^T (x - mean)`, where `U Lambda U^T` is the covariance of train.

    Shapes: mean float32 (D,), matrix float32 (D, D), with D = C * H * W.
    """

    mean: Tensor
    matrix: Tensor

    def apply(self, images: Tensor) -> Tensor:
        """(N, C, H, W) float32 -> the same"""
        flat = images.flatten(1) - self.mean.to(images.device)
        return (flat @ self.matrix.to(images.device)).reshape(images.shape)  # the matrix is symmetric


def fit_whitening(images: Tensor, as_float: Callable[[Tensor], Tensor], eps: float) -> Whitening:
    """The whitening of a train set; `as_float` standardises a chunk of it.

    The mean is taken out before the products are summed, chunk by chunk into float64: a pixel that is constant in
    train then has a variance of zero, not of rounding errors.

    Shapes: images uint8 (N, C, H, W)
    """
    pixels = images[0].numel()
    if pixels > MAX_PIXELS:
        raise DataError(
            f"zca must invert a matrix of {pixels}x{pixels} for images of {tuple(images.shape[1:])}: "
            f"at most {MAX_PIXELS} values per image are allowed; choose a smaller image_size, grey, or standardise"
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
