"""What can be asked of which images: everything else is refused in a sentence."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from lgn.actions import size_text
from lgn.data.kinds import GRID_KINDS

FEWEST, SMALLEST = 20, 4
EVIDENCE = ("images", "labels", "network", "affine")
OF_IMAGES = ("network", "affine")  # signals and volumes are not asked for these


def require_question(
    images: Tensor, labels: Tensor | None, evidence: Sequence[str] | None, margin: float, effort: float
) -> tuple[str, ...]:
    """-> the kinds of evidence that are asked for"""
    if not isinstance(images, Tensor) or images.ndim not in GRID_KINDS or images.is_complex():
        shape = tuple(images.shape) if isinstance(images, Tensor) else type(images).__name__
        raise ValueError(
            f"images must be a tensor (N, C, H, W), signals (N, C, T) or volumes (N, C, D, H, W), got {shape}"
        )
    kind, axes = GRID_KINDS[images.ndim], images.ndim - 2
    if len(images) < FEWEST:
        raise ValueError(f"{kind} must be at least {FEWEST}, got {len(images)}")
    if min(images.shape[2:]) < SMALLEST or images.shape[1] < 1:
        least = size_text((SMALLEST,) * axes)
        raise ValueError(f"{kind} must be at least {least} pixels, got {tuple(images.shape[1:])}")
    if not torch.isfinite(images.float() if images.dtype == torch.float16 else images).all():
        raise ValueError(f"{kind} must be finite, got infinities or NaN")
    if not 0 < margin < 0.5:
        raise ValueError(f"margin must lie between 0 and 0.5, got {margin}")
    if not (effort > 0 and math.isfinite(effort)):
        raise ValueError(f"effort must be above 0, got {effort}")
    asked = tuple(evidence) if evidence is not None else ("images", *(() if labels is None else ("labels",)))
    if unknown := [word for word in asked if word not in EVIDENCE]:
        raise ValueError(f"evidence must be of {', '.join(EVIDENCE)}, got {unknown[0]!r}")
    if kind != "images" and (wrong := [word for word in asked if word in OF_IMAGES]):
        raise ValueError(f"evidence must be of images, labels for {kind}, got {wrong[0]!r}, which knows images alone")
    if labels is None:
        if wanting := [word for word in asked if word != "images"]:
            raise ValueError(f"labels must be given for evidence {wanting[0]!r}, got none")
        return asked
    if labels.shape != (len(images),) or labels.is_floating_point() or int(labels.min()) < 0:
        raise ValueError(
            f"labels must be whole numbers from 0, ({len(images)},), got {labels.dtype} {tuple(labels.shape)}"
        )
    if len(labels.unique()) < 2 and set(asked) != {"images"}:
        raise ValueError(f"labels must have at least 2 classes, all are {int(labels[0])}")
    return asked


def require_different(small: Tensor, clusters: Tensor) -> None:
    if float(small.flatten(1).std(1).max()) < 1e-4:
        raise ValueError("images must not be constant, and every one has a single value in all its pixels")
    if (different := len(clusters.unique())) < FEWEST:
        raise ValueError(f"images must hold at least {FEWEST} that differ, got {different} and their near-duplicates")
