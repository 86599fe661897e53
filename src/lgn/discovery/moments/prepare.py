"""What is looked at: rows of numbers, whole images made small, or patches; and what is refused, in one sentence."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from lgn.actions import vec
from lgn.data.seeds import generator_for
from lgn.discovery.moments.split import Sample
from lgn.discovery.moments.tensors import BLOCKS
from lgn.transforms.filters import blur as smooth

FEWEST = 4 * BLOCKS  # samples: two in each block of either half
SIZE, BLUR = 14, 1.0  # of whole images, unless given
PATCHES = 4  # of each image


@dataclass(frozen=True)
class Grid:
    """Pixels behind the coordinates: channels of (n, m), each stacked by columns."""

    channels: int
    patch: tuple[int, int]


def prepare(
    x: Tensor, labels: Tensor | None, size: int | None, blur: float | None, patch: int | None, seed: int
) -> tuple[Sample, Grid | None]:
    """Rows to look at, with the images that they come from.  (N, d) or (N, C, H, W) -> `Sample`, `Grid`"""
    if not isinstance(x, Tensor) or x.ndim not in (2, 4):
        raise ValueError(f"x must be a tensor (N, d) or (N, C, H, W), got {_shape(x)}")
    if x.ndim == 2 and (size is not None or blur is not None or patch is not None):
        raise ValueError("size, blur and patch must be given with images (N, C, H, W) only, got rows (N, d)")
    if len(x) < FEWEST:
        raise ValueError(f"x must have at least {FEWEST} samples, got {len(x)}")
    if not torch.isfinite(x.float()).all():
        raise ValueError("x must be finite, got NaN or infinity")
    classes, numbers = _classes(labels, len(x))
    images = torch.arange(len(x))
    grid = None
    if x.ndim == 4:
        small = _images(x, size, blur) if patch is None else _patches(x, size, blur, patch, seed)
        grid = Grid(small.shape[1], (small.shape[2], small.shape[3]))
        images = images.repeat_interleave(len(small) // len(x))
        numbers = None if numbers is None else numbers.repeat_interleave(len(small) // len(x))
        rows = vec(small).flatten(1)
    else:
        rows = x.double()
    varying = rows.var(0) > 1e-20 * rows.var(0).max()
    if int(varying.sum()) < 2:
        raise ValueError("x must vary in at least 2 coordinates, got constant columns")
    images = _together(rows, images)
    if len(images.unique()) < FEWEST:
        raise ValueError(f"x must have at least {FEWEST} different samples, got {len(images.unique())}")
    return Sample(rows, images, numbers, classes), grid


def _together(rows: Tensor, images: Tensor) -> Tensor:
    """Images whose rows are the same are one: a repeated row must not judge what it found.  -> (N,)"""
    weights = torch.rand(rows.shape[1], generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    same = (rows @ weights).unique(return_inverse=True)[1]
    first = torch.full((int(same.max()) + 1,), len(rows)).scatter_reduce(0, same, images, "amin")
    return first[same] if int(images.max()) + 1 == len(rows) else images


def _images(x: Tensor, size: int | None, blur: float | None) -> Tensor:
    """Small and smooth: what has pixels under it can be turned.  -> (N, C, n, m) float64"""
    size = min(SIZE, *x.shape[-2:]) if size is None else size
    if not 2 <= size <= min(x.shape[-2:]):
        raise ValueError(f"size must be from 2 to the images' {min(x.shape[-2:])}, got {size}")
    blur = BLUR if blur is None else blur
    if not blur >= 0:
        raise ValueError(f"blur must be at least 0, got {blur}")
    parts = []
    for part in x.split(4096):
        small = part.float()
        if x.shape[-2:] != (size, size):
            small = F.interpolate(small, (size, size), mode="bilinear", antialias=True)
        parts.append(small.double() if blur == 0 else smooth(small.double(), blur))
    return torch.cat(parts)


def _patches(x: Tensor, size: int | None, blur: float | None, patch: int, seed: int) -> Tensor:
    """Some patches of every image, image by image.  -> (N * PATCHES, C, patch, patch) float64"""
    if size is not None:
        x = _images(x, size, 0.0)
    height, width = x.shape[-2:]
    if not 2 <= patch <= min(height, width):
        raise ValueError(f"patch must be from 2 to the images' {min(height, width)}, got {patch}")
    if blur:
        x = smooth(x.double(), blur)
    generator = generator_for("patches of moments", seed)
    top, left = (
        torch.randint(side - patch + 1, (len(x) * PATCHES, 1, 1, 1), generator=generator) for side in (height, width)
    )
    which = torch.arange(len(x)).repeat_interleave(PATCHES)[:, None, None, None]
    channel = torch.arange(x.shape[1])[:, None, None]
    rows, columns = top + torch.arange(patch)[:, None], left + torch.arange(patch)
    return x[which, channel, rows, columns].double()


def _classes(labels: Tensor | None, count: int) -> tuple[int, Tensor | None]:
    if labels is None:
        return 1, None
    if labels.shape != (count,) or labels.is_floating_point():
        raise ValueError(f"labels must be {count} whole numbers, got {_shape(labels)}")
    values, numbers = labels.unique(return_inverse=True)
    if len(values) < 2:
        raise ValueError(f"labels must have at least 2 classes, all are {int(values[0])}")
    return len(values), numbers


def _shape(x: object) -> str:
    return f"{x.dtype} of shape {tuple(x.shape)}" if isinstance(x, Tensor) else type(x).__name__
