"""Images without labels, for predictions: files, folders and arrays, as one tensor of a given size."""

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from lgn.data.arrays import load_images
from lgn.data.decode import decode_images, read_header
from lgn.data.errors import DataError
from lgn.data.folder import SUFFIXES
from lgn.data.preprocess import to_grey
from lgn.data.resize import resize


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
    if source.is_dir():
        paths = sorted(path for path in source.rglob("*") if path.suffix.lower() in SUFFIXES and path.is_file())
        if not paths:
            raise DataError(f"{source} is empty: it has no {', '.join(SUFFIXES)} image")
        return paths
    if not source.is_file():
        raise DataError(f"images must be files, folders or .npz files that exist, got {source}")
    return [source]


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
