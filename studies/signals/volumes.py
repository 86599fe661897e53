"""Volumes that keep one mirror: all 48 symmetries of the cube are tried."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from lgn.discovery.images import discover_images
from studies.runner import Cell
from studies.symmetry.cases import verdicts

COUNT, QUICK_COUNT, SEEDS, SIDE = 12_000, 1000, 5, 6
KEPT = "mirror 1"


def fields(count: int, generator: torch.Generator) -> Tensor:
    """A random field about a mean that one mirror alone keeps.  -> (N, 1, D, H, W)"""
    mean = F.avg_pool3d(torch.randn(1, 1, SIDE + 2, SIDE + 2, SIDE + 2, generator=generator), 3, stride=1)
    mean = mean + mean.flip(2)
    field = F.avg_pool3d(torch.randn(count, 1, SIDE + 2, SIDE + 2, SIDE + 2, generator=generator), 3, stride=1)
    return field / field.std() + 0.5 * mean / mean.std()


def cells(quick: bool) -> Iterator[Cell]:
    for seed in range(1 if quick else SEEDS):
        key = {"volumes": "a random field with one mirror", "seed": seed}
        yield Cell(key, partial(measure, QUICK_COUNT if quick else COUNT, seed))


def measure(count: int, seed: int) -> dict[str, Any]:
    found = discover_images(fields(count, torch.Generator().manual_seed(2000 + seed)), kind="volumes", seed=seed)
    return verdicts(found, lambda row: "kept" if row == KEPT else "broken")
