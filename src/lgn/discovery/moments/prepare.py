"""Rows of numbers from tables, points, whole images made small and smooth, signals, volumes, or patches of images."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from lgn.actions import Patch, vec
from lgn.data.kinds import Kind
from lgn.data.seeds import generator_for
from lgn.discovery.moments.sample import Sample
from lgn.discovery.moments.tensors import BLOCKS
from lgn.linalg import double
from lgn.transforms import AXES
from lgn.transforms.filters import blur as smooth

#: The smallest number of samples: two in each block of either half.
FEWEST = 4 * BLOCKS
#: The largest side of whole samples, and the width of the blur, unless they are given.
SIZES, BLUR = {"images": 14, "signals": 64, "volumes": 8}, 1.0
#: The number of patches of every image.
PATCHES = 4


@dataclass(frozen=True)
class Grid:
    """The channels and the pixels behind the columns of rows, stacked by `vec`."""

    kind: Kind
    channels: int
    patch: Patch


def prepare(
    samples: Tensor,
    labels: Tensor | None,
    kind: Kind,
    blocks: Tensor | None = None,
    size: int | None = None,
    blur: float | None = None,
    patch: int | tuple[int, int] | None = None,
    seed: int = 0,
) -> tuple[Sample, Grid | None]:
    """Samples as rows in float64, with their sources and classes.

    They are on the CPU: matrices of a few directions are too small for other devices.
    """
    if kind not in AXES and (size, blur, patch) != (None, None, None):
        raise ValueError(f"size, blur and patch must be None for {kind}, got {size}, {blur} and {patch}")
    if patch is not None and kind != "images":
        raise ValueError(f"patch must be None for {kind}, got {patch}")
    if len(samples) < FEWEST:
        raise ValueError(f"samples must be at least {FEWEST}, got {len(samples)}")
    for name, given in (("labels", labels), ("blocks", blocks)):
        if given is not None and given.shape != (len(samples),):
            raise ValueError(f"{name} must have the shape ({len(samples)},), got {tuple(given.shape)}")
    grid = None
    if kind in AXES:
        small = _small(samples, kind, size, blur) if patch is None else _patches(samples, size, blur, patch, seed)
        grid = Grid(kind, small.shape[1], tuple(small.shape[2:]))
        rows = vec(small, AXES[kind]).flatten(1).cpu()
    else:
        rows = double(samples).cpu().flatten(1)
    if not torch.isfinite(rows).all():
        raise ValueError("samples must be finite, got NaN or infinity")
    if int((rows.var(0) > 1e-20 * rows.var(0).max()).sum()) < 2:
        raise ValueError("samples must vary in at least 2 columns, got constant columns")
    patches = len(rows) // len(samples)
    sources = torch.arange(len(samples)) if blocks is None else blocks.cpu().unique(return_inverse=True)[1]
    sources = sources.repeat_interleave(patches) if patches > 1 else _joined(rows, sources)
    if len(sources.unique()) < FEWEST:
        raise ValueError(f"samples must have at least {FEWEST} different values or blocks, got {len(sources.unique())}")
    if labels is None:
        return Sample(rows, sources, None, 1, seed), grid
    values, numbers = labels.cpu().unique(return_inverse=True)
    if len(values) < 2:
        raise ValueError(f"labels must have at least 2 classes, got {int(values[0])} for all samples")
    return Sample(rows, sources, numbers.repeat_interleave(patches), len(values), seed), grid


def _joined(rows: Tensor, sources: Tensor) -> Tensor:
    """Sources that have an equal row become one: a repeated row must not judge the map that it found.  -> (N,)"""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    weights = torch.rand(rows.shape[1], generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    equal = (rows @ weights).unique(return_inverse=True)[1]
    count = int(sources.max()) + 1
    total = count + int(equal.max()) + 1
    ends = sources.int().numpy(), (count + equal).int().numpy()  # early versions of scipy need 32 bits
    links = coo_array((torch.ones(len(rows)).numpy(), ends), (total, total))
    return torch.from_numpy(connected_components(links, directed=False)[1]).long()[sources]


def _small(samples: Tensor, kind: Kind, size: int | None, blur: float | None) -> Tensor:
    """Small and smooth samples, which can be turned without loss.  -> (N, C, sides) float64"""
    sides = samples.shape[2:]
    size = min(SIZES[kind], *sides) if size is None else size
    if not 2 <= size <= min(sides):
        raise ValueError(f"size must be from 2 to {min(sides)} for these {kind}, got {size}")
    blur = BLUR if blur is None else blur
    if not blur >= 0:
        raise ValueError(f"blur must be at least 0, got {blur}")
    pool = {"signals": F.adaptive_avg_pool1d, "volumes": F.adaptive_avg_pool3d}.get(kind)
    shape, parts = (size,) * AXES[kind], []
    for part in samples.split(4096):
        small = part.float()
        if sides != shape:
            small = F.interpolate(small, shape, mode="bilinear", antialias=True) if pool is None else pool(small, size)
        parts.append(double(small) if blur == 0 else smooth(double(small), blur, axes=AXES[kind]))
    return torch.cat(parts)


def _patches(images: Tensor, size: int | None, blur: float | None, patch: int | tuple[int, int], seed: int) -> Tensor:
    """Random patches of every image, image by image.  -> (N * PATCHES, C, n, m) float64"""
    if size is not None:
        images = _small(images, "images", size, 0.0)
    sides, count = images.shape[-2:], len(images) * PATCHES
    shape = (patch, patch) if isinstance(patch, int) else tuple(patch)
    if len(shape) != 2 or min(shape) < 2 or any(n > side for n, side in zip(shape, sides, strict=True)):
        raise ValueError(f"patch must be from 2 to {min(sides)} for these images, got {patch}")
    if blur:
        images = smooth(double(images), blur)
    generator = generator_for("patches of moments", seed)
    top, left = (
        torch.randint(side - n + 1, (count, 1, 1, 1), generator=generator) for side, n in zip(sides, shape, strict=True)
    )
    which = torch.arange(len(images)).repeat_interleave(PATCHES)[:, None, None, None]
    channel = torch.arange(images.shape[1])[:, None, None]
    rows, columns = top + torch.arange(shape[0])[:, None], left + torch.arange(shape[1])
    return double(images[which, channel, rows, columns])
