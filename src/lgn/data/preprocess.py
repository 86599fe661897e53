"""Preprocess images for a network, with statistics of the training images."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, get_args

import torch
from torch import Tensor

from lgn.data.dataset import checksum
from lgn.data.errors import DataError

Kind = Literal["standardise", "zca", "none"]

# Note [The eps of whitening]
# After standardising, the average variance of a pixel is about one, so eps is a fraction of the average variance.
# Whitening multiplies a direction without variance in train (the margin of MNIST) by 1/sqrt(eps). That is 10 for
# eps = 0.01, and 300 to 1000 for the common 1e-5 or 1e-6, where one unusual pixel of a test image outweighs all others.
# The largest values of MNIST after whitening are, in train and in test, 214 and 392 for eps = 1e-5, 87 and 92 for
# 1e-3, 31.3 and 31.9 for 1e-2: with 1e-2, train and test agree.
DEFAULT_EPS = 1e-2

CHUNK = 2048  # images of one step: 25 MB of float32 for CIFAR-10
MAX_PIXELS = 8192  # the matrix then has 268 MB of float32, and its eigenvectors take minutes


@dataclass(frozen=True, eq=False)
class Recipe:
    """The stored part of a preprocessing. `mean` and `std` belong to pixels in 0..1, one number per channel."""

    kind: Kind
    mean: tuple[float, ...]
    std: tuple[float, ...]
    eps: float
    checksum: str

    def __post_init__(self) -> None:
        finite = all(map(math.isfinite, (*self.mean, *self.std, self.eps)))
        if not finite or not self.mean or len(self.mean) != len(self.std) or min(*self.std, self.eps) <= 0:
            raise DataError(
                "preprocessing must have a positive std for each mean and a positive eps, "
                f"got mean {self.mean}, std {self.std} and eps {self.eps}"
            )


@dataclass(frozen=True, eq=False)
class Preprocessing:
    """A fitted preprocessing, made by `fit_preprocessing`. Only the recipe is stored.

    - `none`: bytes are scaled to 0..1.
    - `standardise`: `(x - mean) / std` per channel.
    - `zca`: standardised, then whitened: `x -> U (Lambda + eps I)^(-1/2) U^T (x - mean)`, where `U Lambda U^T` is the
      covariance of the training images.

    The whitening of `zca` can be fitted again to images with the checksum of the recipe.

    Shapes: whitening is the mean (D,) and the matrix (D, D), float32, with D = C * H * W.
    """

    recipe: Recipe
    whitening: tuple[Tensor, Tensor] | None = None

    def apply(self, images: Tensor) -> Tensor:
        """Preprocess bytes; float32 images are taken as preprocessed and returned unchanged.

        Shapes: uint8 (N, C, H, W) -> float32 (N, C, H, W)
        """
        if images.dtype == torch.float32:
            return images
        if images.dtype != torch.uint8 or images.ndim != 4:
            raise DataError(
                f"images must be uint8 (N, C, H, W), or float32 after prepare, got {images.dtype} {tuple(images.shape)}"
            )
        if self.whitening is None:
            return self._standardise(images)
        mean, matrix = (tensor.to(images.device) for tensor in self.whitening)
        finished = torch.empty(images.shape, dtype=torch.float32, device=images.device)
        for whole, part in zip(images.split(CHUNK), finished.split(CHUNK), strict=True):
            flat = self._standardise(whole).flatten(1) - mean
            part.copy_((flat @ matrix).view_as(part))  # one float32 copy of the data set in all
        return finished

    def prepare(self, images: Tensor) -> Tensor:
        """The part of the work to do once: `zca` whitens the whole data set to float32, the other kinds keep bytes.

        `apply` completes any batch of the result: `apply(prepare(images)[i]) == apply(images[i])`.
        """
        return images if self.whitening is None else self.apply(images)

    def _standardise(self, images: Tensor) -> Tensor:
        if self.recipe.kind == "none":
            return images.float().div_(255)
        if images.shape[1] != len(self.recipe.mean):
            raise DataError(f"images must have {len(self.recipe.mean)} channels, as in train, got {images.shape[1]}")
        std = torch.tensor(self.recipe.std, dtype=torch.float64)
        scale = (1 / (255 * std)).float().to(images.device)[:, None, None]
        shift = (torch.tensor(self.recipe.mean, dtype=torch.float64) / std).float().to(images.device)[:, None, None]
        return images.float().mul_(scale).sub_(shift)


def fit_preprocessing(kind: Kind, images: Tensor, *, eps: float = DEFAULT_EPS) -> Preprocessing:
    """Fit a preprocessing to training images, uint8 (N, C, H, W).

    eps: added to the variances by `zca` (Note [The eps of whitening]); the other kinds do not use it.
    """
    if kind not in get_args(Kind):
        raise DataError(f"kind must be one of {', '.join(get_args(Kind))}, got {kind!r}")
    if images.dtype != torch.uint8 or images.ndim != 4 or images.numel() == 0:
        raise DataError(f"images must be uint8 (N, C, H, W) and not empty, got {images.dtype} {tuple(images.shape)}")
    fitted = Preprocessing(Recipe(kind, *channel_statistics(images), eps, checksum(images)))
    return replace(fitted, whitening=_whitening(images, fitted._standardise, eps)) if kind == "zca" else fitted


def _whitening(images: Tensor, as_float: Callable[[Tensor], Tensor], eps: float) -> tuple[Tensor, Tensor]:
    """The mean and the matrix that whiten training images; `as_float` standardises a chunk of them.

    The mean is subtracted before the products are summed in float64, so that a pixel that is constant in train has
    exactly no variance.

    Shapes: images uint8 (N, C, H, W)
    """
    pixels = images[0].numel()
    if pixels > MAX_PIXELS:
        raise DataError(
            f"images must have at most {MAX_PIXELS} values for zca, got {tuple(images.shape[1:])}; "
            "choose a smaller image_size or standardise"
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
    return mean.float(), (scaled @ directions.T).float()


def channel_statistics(images: Tensor) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Mean and standard deviation per channel of pixels in 0..1, exact, from the histogram of the bytes.

    A constant channel gets the standard deviation 1, so that standardising makes it zero.
    """
    values = torch.arange(256, dtype=torch.float64) / 255
    means, deviations = [], []
    for channel in images.unbind(1):
        shares = torch.bincount(channel.flatten(), minlength=256).cpu().double() / channel.numel()
        mean = shares @ values
        deviation = float((shares @ (values - mean) ** 2).sqrt())
        means.append(float(mean))
        # The deviation of a constant channel is zero up to rounding.
        deviations.append(deviation if deviation > 1e-9 else 1.0)
    return tuple(means), tuple(deviations)
