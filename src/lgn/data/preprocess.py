"""Preprocess images for a network, with statistics of the training images."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

import torch
from torch import Tensor

from lgn.data.dataset import checksum
from lgn.data.errors import DataError
from lgn.data.limits import PIECE
from lgn.data.zca import CHUNK, Whitening, fit_whitening
from lgn.files import decode, encode

Kind = Literal["standardise", "zca", "none"]
SCHEMA = 1

# Note [The eps of whitening]
# After standardising, the average variance of a pixel is about one, so eps is a fraction of the average variance.
# Whitening multiplies a direction without variance in train (the margin of MNIST) by 1/sqrt(eps). That is 10 for
# eps = 0.01, and 300 to 1000 for the common 1e-5 or 1e-6, where one unusual pixel of a test image outweighs all others.
# The largest values of MNIST after whitening are, in train and in test, 214 and 392 for eps = 1e-5, 87 and 92 for
# 1e-3, 31.3 and 31.9 for 1e-2: with 1e-2, train and test agree.
DEFAULT_EPS = 1e-2

_GREY_WEIGHTS = (0.299, 0.587, 0.114)  # luma of ITU-R BT.601, as in Pillow


@dataclass(frozen=True, eq=False)
class Recipe:
    """The stored part of a preprocessing. `mean` and `std` belong to pixels in 0..1, one number per channel."""

    kind: Kind
    grey: bool
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
class Preprocessing(Recipe):
    """A fitted preprocessing, made by `fit_preprocessing` or `Preprocessing.from_json`.

    - `none`: bytes are scaled to 0..1.
    - `standardise`: `(x - mean) / std` per channel.
    - `zca`: standardised, then whitened (see `lgn.data.zca`).
    """

    whitening: Whitening | None = None

    def apply(self, images: Tensor) -> Tensor:
        """Preprocess bytes; float32 images are taken as preprocessed and returned unchanged.

        Shapes: uint8 (N, C, H, W) -> float32 (N, C or 1, H, W)
        """
        if images.dtype == torch.float32:
            return images
        if images.dtype != torch.uint8 or images.ndim != 4:
            raise DataError(
                f"images must be uint8 (N, C, H, W), or float32 after prepare, got {images.dtype} {tuple(images.shape)}"
            )
        if self.whitening is None:
            return self._standardise(images)
        finished = torch.empty(0)
        for first in range(0, len(images), CHUNK):  # so that there is only one float32 copy of the data set
            chunk = self.whitening.apply(self._standardise(images[first : first + CHUNK]))
            if first == 0:
                finished = chunk.new_empty(len(images), *chunk.shape[1:])
            finished[first : first + CHUNK] = chunk
        return finished

    def prepare(self, images: Tensor) -> Tensor:
        """The part of the work to do once: `zca` whitens the whole data set to float32, the other kinds keep bytes.

        `apply` completes any batch of the result: `apply(prepare(images)[i]) == apply(images[i])`.
        """
        if self.kind == "zca":
            return self.apply(images)
        return to_grey(images) if self.grey else images

    def to_json(self) -> dict[str, Any]:
        """The recipe. The matrix of `zca` is not stored: the checksum and eps allow to fit it again."""
        return {"schema": SCHEMA, **{field.name: encode(getattr(self, field.name)) for field in fields(Recipe)}}

    @staticmethod
    def from_json(stored: Mapping[str, Any]) -> "Preprocessing":
        """A stored preprocessing; `zca` is refused, because it has to be fitted again to its images."""
        if stored.get("schema") != SCHEMA:
            raise DataError(f"preprocessing must have schema {SCHEMA}, got {stored.get('schema')!r}")
        try:
            recipe = decode(Recipe, {key: value for key, value in stored.items() if key != "schema"}, "preprocessing")
        except ValueError as error:
            raise DataError(str(error)) from None
        if recipe.kind == "zca":
            raise DataError("preprocessing kind must not be 'zca': fit it again to the training images")
        return Preprocessing(**vars(recipe))

    def _standardise(self, images: Tensor) -> Tensor:
        if self.grey:
            images = to_grey(images)
        if self.kind == "none":
            return unit_range(images)
        if images.shape[1] != len(self.mean):
            raise DataError(f"images must have {len(self.mean)} channels, as in train, got {images.shape[1]}")
        std = torch.tensor(self.std, dtype=torch.float64)
        scale = (1 / (255 * std)).float().to(images.device)[:, None, None]
        shift = (torch.tensor(self.mean, dtype=torch.float64) / std).float().to(images.device)[:, None, None]
        return images.float().mul_(scale).sub_(shift)


def fit_preprocessing(kind: Kind, images: Tensor, *, grey: bool = False, eps: float = DEFAULT_EPS) -> Preprocessing:
    """Fit a preprocessing to training images, uint8 (N, C, H, W).

    eps: added to the variances by `zca` (Note [The eps of whitening]); the other kinds do not use it.
    """
    if kind not in get_args(Kind):
        raise DataError(f"kind must be one of {', '.join(get_args(Kind))}, got {kind!r}")
    if images.dtype != torch.uint8 or images.ndim != 4 or images.numel() == 0:
        raise DataError(f"images must be uint8 (N, C, H, W) and not empty, got {images.dtype} {tuple(images.shape)}")
    if not (math.isfinite(eps) and eps > 0):
        raise DataError(f"eps must be a positive number, got {eps}")
    inputs = to_grey(images) if grey else images
    mean, std = channel_statistics(inputs)
    fitted = Preprocessing(kind, grey, mean, std, eps, checksum(images))
    if kind != "zca":
        return fitted
    return replace(fitted, whitening=fit_whitening(inputs, fitted._standardise, eps))


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


def to_grey(images: Tensor, *, piece: int = PIECE) -> Tensor:
    """Grey images; grey input is returned unchanged.  uint8 (N, 1 or 3, H, W) -> uint8 (N, 1, H, W)

    piece: largest number of values to compute with at a time.
    """
    if images.shape[1] == 1:
        return images
    if images.shape[1] != 3:
        raise DataError(f"images must have 1 or 3 channels to become grey, got {images.shape[1]}")
    weights = torch.tensor(_GREY_WEIGHTS, device=images.device)[:, None]
    grey = images.new_empty(len(images), 1, *images.shape[2:])
    for colours, target in zip(_pieces(images.flatten(2), piece), _pieces(grey.flatten(2), piece), strict=True):
        target.copy_((colours * weights).sum(1, keepdim=True).round_())
    return grey


def _pieces(pixels: Tensor, piece: int) -> list[Tensor]:
    """Views of several images, or of parts of one image, small enough to compute with.  (N, C, pixels)"""
    count = max(piece // max(3 * pixels.shape[2], 1), 1)
    return [part for images in pixels.split(count) for part in images.split(piece // 3, dim=2)]


def unit_range(images: Tensor) -> Tensor:
    """Bytes as float32 in 0..1; float32 is returned unchanged."""
    return images if images.dtype == torch.float32 else images.float().div_(255)
