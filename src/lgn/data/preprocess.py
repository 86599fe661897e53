"""From bytes to what a network sees: statistics of train alone, applied to train, test and, later, analysis."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

import torch
from torch import Tensor

from lgn.data.dataset import checksum
from lgn.data.errors import DataError
from lgn.data.room import PIECE
from lgn.data.zca import CHUNK, Whitening, fit_whitening
from lgn.files import decode, encode

Kind = Literal["standardise", "zca", "none"]
SCHEMA = 1

# Note [The eps of whitening]
# After standardising, the variances sum to about one per pixel, so eps is a fraction of the average variance. It is
# also what keeps whitening sane: a direction without variance in train (MNIST's margin) is multiplied by
# 1/sqrt(eps), which is 10 for 0.01 and 300 to 1000 for the 1e-5 or 1e-6 of common recipes: a stray pixel of a test
# image would outweigh all the others. The largest values after whitening MNIST are, for train and for test, 214 and
# 392 with eps 1e-5, 87 and 92 with 1e-3, 31.3 and 31.9 with 1e-2: there, nothing in test is new to the matrix.
DEFAULT_EPS = 1e-2

_GREY_WEIGHTS = (0.299, 0.587, 0.114)  # luma of ITU-R BT.601, as image libraries have it


@dataclass(frozen=True, eq=False)
class Recipe:
    """What is stored of a preprocessing; `mean` and `std` are of pixels in 0..1, one per channel."""

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
    """A fitted preprocessing. Made by `fit_preprocessing`, or from its JSON.

    - `none`: bytes become 0..1.
    - `standardise`: `(x - mean) / std` per channel.
    - `zca`: standardised, then whitened as whole images (see `lgn.data.zca`).
    """

    whitening: Whitening | None = None

    def apply(self, images: Tensor) -> Tensor:
        """Finish images: bytes go all the way; float32 are taken as prepared before, and returned as they are.

        Shapes: uint8 (N, C, H, W) -> float32 (N, C or 1, H, W)
        """
        if images.dtype == torch.float32:
            return images
        if images.dtype != torch.uint8 or images.ndim != 4:
            raise DataError(
                f"images must be uint8 (N, C, H, W), or float32 from prepare, got {images.dtype} {tuple(images.shape)}"
            )
        if self.whitening is None:
            return self._standardise(images)
        finished = torch.empty(0)
        for first in range(0, len(images), CHUNK):  # one float32 copy of the set, and never a second
            chunk = self.whitening.apply(self._standardise(images[first : first + CHUNK]))
            if first == 0:
                finished = chunk.new_empty(len(images), *chunk.shape[1:])
            finished[first : first + CHUNK] = chunk
        return finished

    def prepare(self, images: Tensor) -> Tensor:
        """What to do once and hold: zca whitens the whole set to float32, the others leave it in bytes.

        `apply` on any batch of the result finishes it: `apply(prepare(images)[i]) == apply(images[i])`.
        """
        if self.kind == "zca":
            return self.apply(images)
        return to_grey(images) if self.grey else images

    def to_json(self) -> dict[str, Any]:
        """Small statistics as numbers; the whitening matrix as its recipe, the data's checksum and eps."""
        return {"schema": SCHEMA, **{each.name: encode(getattr(self, each.name)) for each in fields(Recipe)}}

    @staticmethod
    def from_json(stored: Mapping[str, Any]) -> "Preprocessing":
        """The preprocessing that was stored; of `zca` only the recipe is, to be fitted again to its images."""
        if stored.get("schema") != SCHEMA:
            raise DataError(f"preprocessing must have schema {SCHEMA}, got {stored.get('schema')!r}")
        try:
            recipe = decode(Recipe, {key: value for key, value in stored.items() if key != "schema"}, "preprocessing")
        except ValueError as error:
            raise DataError(str(error)) from None
        if recipe.kind == "zca":
            raise DataError("preprocessing kind must not be 'zca' here: it is made again from its train images")
        return Preprocessing(**vars(recipe))

    def _standardise(self, images: Tensor) -> Tensor:
        if self.grey:
            images = to_grey(images)
        if self.kind == "none":
            return unit_range(images)
        if images.shape[1] != len(self.mean):
            raise DataError(f"images must have {len(self.mean)} channels as train had, got {images.shape[1]}")
        std = torch.tensor(self.std, dtype=torch.float64)
        scale = (1 / (255 * std)).float().to(images.device)[:, None, None]
        shift = (torch.tensor(self.mean, dtype=torch.float64) / std).float().to(images.device)[:, None, None]
        return images.float().mul_(scale).sub_(shift)


def fit_preprocessing(kind: Kind, images: Tensor, *, grey: bool = False, eps: float = DEFAULT_EPS) -> Preprocessing:
    """Fit on the train images: uint8 (N, C, H, W).

    `eps` is added to the variances by `zca` (Note [The eps of whitening]); the others leave it unused.
    """
    if kind not in get_args(Kind):
        raise DataError(f"kind must be one of {', '.join(get_args(Kind))}, got {kind!r}")
    if images.dtype != torch.uint8 or images.ndim != 4 or images.numel() == 0:
        raise DataError(f"images must be uint8 (N, C, H, W) and not empty, got {images.dtype} {tuple(images.shape)}")
    if not (math.isfinite(eps) and eps > 0):
        raise DataError(f"eps must be a positive number, got {eps}")
    seen = to_grey(images) if grey else images
    mean, std = channel_statistics(seen)
    fitted = Preprocessing(kind, grey, mean, std, eps, checksum(images))
    if kind != "zca":
        return fitted
    return replace(fitted, whitening=fit_whitening(seen, fitted._standardise, eps))


def channel_statistics(images: Tensor) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Mean and standard deviation per channel of pixels in 0..1, exact: from the histogram of the bytes.

    A channel that is constant gets the deviation 1, so that standardising makes it zero.
    """
    values = torch.arange(256, dtype=torch.float64) / 255
    means, deviations = [], []
    for channel in images.unbind(1):
        shares = torch.bincount(channel.flatten(), minlength=256).cpu().double() / channel.numel()
        mean = shares @ values
        deviation = float((shares @ (values - mean) ** 2).sqrt())
        means.append(float(mean))
        # A constant channel's mean is its value up to rounding, and so is its deviation zero.
        deviations.append(deviation if deviation > 1e-9 else 1.0)
    return tuple(means), tuple(deviations)


def to_grey(images: Tensor) -> Tensor:
    """Grey images in bytes; what is grey already stays.  uint8 (N, 1 or 3, H, W) -> uint8 (N, 1, H, W)"""
    if images.shape[1] == 1:
        return images
    if images.shape[1] != 3:
        raise DataError(f"grey needs images of 1 or 3 channels, got {images.shape[1]}")
    weights = torch.tensor(_GREY_WEIGHTS, device=images.device)[:, None]
    grey = images.new_empty(len(images), 1, *images.shape[2:])
    pixels, places = images.flatten(2), grey.flatten(2)
    for some, place in zip(_pieces(pixels), _pieces(places), strict=True):
        place.copy_((some * weights).sum(1, keepdim=True).round_())
    return grey


def _pieces(pixels: Tensor) -> list[Tensor]:
    """Views of a few images, or of parts of one: what can be computed with at a time.  (N, C, pixels)"""
    images = max(PIECE // max(3 * pixels.shape[2], 1), 1)
    return [part for some in pixels.split(images) for part in some.split(PIECE // 3, dim=2)]


def unit_range(images: Tensor) -> Tensor:
    """Bytes as float32 in 0..1; float32 stays as it is."""
    return images if images.dtype == torch.float32 else images.float().div_(255)
