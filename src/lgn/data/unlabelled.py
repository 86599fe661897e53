"""Images without labels, for predictions: files, folders and arrays, as one tensor of a given size."""

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from lgn.data.arrays import load_images
from lgn.data.decode import decode_images, read_header
from lgn.data.errors import DataError
from lgn.data.folder import SUFFIXES
from lgn.data.pixels import resize
from lgn.data.reading import PIECE

_GREY_WEIGHTS = (0.299, 0.587, 0.114)  # luma of ITU-R BT.601, as in Pillow


def read_images(sources: Sequence[Path], shape: tuple[int, int, int]) -> tuple[tuple[str, ...], Tensor]:
    """Names and images of the shape (channels, height, width). Folders are searched with all their subfolders.

    Images of another size are cropped to a square and scaled if height and width are equal, and refused otherwise.
    With one channel, colour becomes grey.

    Shapes: -> names, uint8 (N, channels, height, width)
    """
    names: list[str] = []
    found: list[Tensor] = []
    for source in sources:
        if source.suffix == ".npz":
            images = load_images(source)
            names += [f"{source.name}[{number}]" for number in range(len(images))]
            found.append(_fitted(images, shape, str(source)))
            continue
        for path in _files(source):
            names.append(str(path))
            found.append(_fitted(decode_images([path], [read_header(path)], None), shape, str(path)))
    return tuple(names), torch.cat(found)


def _files(source: Path) -> list[Path]:
    if source.is_file():
        return [source]
    paths = sorted(path for path in source.rglob("*") if path.suffix.lower() in SUFFIXES and path.is_file())
    if not paths:
        raise DataError(f"images must be files, or folders with {', '.join(SUFFIXES)} images, got {source}")
    return paths


def _fitted(images: Tensor, shape: tuple[int, int, int], source: str) -> Tensor:
    channels, height, width = shape
    if channels == 1:
        images = to_grey(images)
    elif images.shape[1] == 1:
        images = images.expand(-1, channels, -1, -1)
    if tuple(images.shape[-2:]) == (height, width):
        return images
    if height != width:
        size = f"{images.shape[-2]}x{images.shape[-1]}"
        raise DataError(f"images must be {height}x{width} for this network, {source} has {size}")
    return resize(images.contiguous(), height)


def to_grey(images: Tensor) -> Tensor:
    """Grey images; grey input is returned unchanged.  uint8 (N, 1 or 3, H, W) -> uint8 (N, 1, H, W)"""
    if images.shape[1] == 1:
        return images
    weights = torch.tensor(_GREY_WEIGHTS, device=images.device)[:, None, None]
    parts = images.split(max(PIECE // images[0].numel(), 1))
    return torch.cat([(part * weights).sum(1, keepdim=True).round_().byte() for part in parts])
