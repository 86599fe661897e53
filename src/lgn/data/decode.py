"""Decode image files. The header is checked before any pixel is decoded."""

import os
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lgn.data.errors import DataError
from lgn.data.reading import require_image_bytes

if TYPE_CHECKING:
    from PIL import Image

MAX_IMAGE_PIXELS = 2**26  # 8192 x 8192
_FORMATS = ("PNG", "JPEG", "WEBP")
_GREY_MODES = ("1", "L", "LA", "I", "I;16", "I;16B", "I;16L")
_ORIENTATION = 0x0112  # the EXIF tag of the camera's orientation; 5 to 8 exchange height and width


@dataclass(frozen=True)
class Header:
    """Size (height, width) and colour of an image, from the first bytes of its file."""

    size: tuple[int, int]
    grey: bool


def read_header(path: Path) -> Header:
    """The header of an image file; nothing is decoded."""
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow warns about large images; our limit is below that
            with Image.open(path, formats=_FORMATS) as image:
                width, height = image.size
                grey = image.mode in _GREY_MODES
                sideways = width * height <= MAX_IMAGE_PIXELS and image.getexif().get(_ORIENTATION, 1) >= 5
    except Image.DecompressionBombError as error:
        raise DataError(f"{path} cannot be used: {error}") from error
    except Exception as error:  # a damaged image may raise any error
        raise DataError(f"{path} is not a PNG, JPEG or WebP image: {error}") from error
    if width * height > MAX_IMAGE_PIXELS:
        raise DataError(f"{path} has {width}x{height} pixels, allowed are {MAX_IMAGE_PIXELS:,} in total")
    return Header((width, height) if sideways else (height, width), grey)


def decode_images(paths: list[Path], headers: list[Header], image_size: int | None) -> Tensor:
    """Decode all images into one tensor, grey if all of them are grey.  -> uint8 (N, 1 or 3, H, W)"""
    examples = {header.size: path.name for path, header in zip(paths, headers, strict=True)}
    if image_size is None and len(examples) > 1:
        low, high = ("{}x{} ({})".format(*size, examples[size]) for size in (min(examples), max(examples)))
        raise DataError(f"image_size must be given (--image-size) for images of several sizes, from {low} to {high}")
    height, width = (image_size, image_size) if image_size is not None else next(iter(examples))
    grey = all(header.grey for header in headers)
    channels = 1 if grey else 3
    require_image_bytes(len(paths), channels, height, width)
    images = torch.empty(len(paths), channels, height, width, dtype=torch.uint8)

    def decode(number: int) -> None:
        pixels = _decode(paths[number], grey, (height, width))
        images[number] = torch.from_numpy(pixels).reshape(height, width, channels).permute(2, 0, 1)

    # Threads decode in parallel; all threads together never hold more pixels than the largest allowed image.
    threads = MAX_IMAGE_PIXELS // max(height * width for height, width in examples)
    with ThreadPoolExecutor(min(threads, os.cpu_count() or 1)) as pool:
        for _ in pool.map(decode, range(len(paths))):
            pass
    return images


def _decode(path: Path, grey: bool, size: tuple[int, int]) -> NDArray[Any]:
    from PIL import Image, ImageOps

    try:
        with Image.open(path, formats=_FORMATS) as opened:
            image = _flattened(ImageOps.exif_transpose(opened), grey)
            if (image.height, image.width) != size:
                image = ImageOps.fit(image, (size[1], size[0]), Image.Resampling.BILINEAR)
            return np.array(image, np.uint8)
    except Exception as error:  # a damaged image may raise any error
        raise DataError(f"{path} is damaged: {error}") from error


def _flattened(image: "Image.Image", grey: bool) -> "Image.Image":
    """Eight bits, grey or colour, on a white background."""
    from PIL import Image

    if image.mode.startswith("I"):  # 16 bits: Pillow would clip at 255 instead of scaling
        image = Image.fromarray((np.asarray(image).astype(np.uint32) >> 8).clip(0, 255).astype(np.uint8))
    if image.has_transparency_data:
        background = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(background, image.convert("RGBA"))
    return image.convert("L" if grey else "RGB")
