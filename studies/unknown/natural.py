"""What nature planted: the flip of CIFAR-10, from whole images and from patches, divided in five ways."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import torch

from lgn.transforms import parse_operator
from studies.cells import Cell
from studies.unknown import cases
from studies.unknown.planted import SEEDS
from studies.unknown.score import measure

PATCH = 6


def cells(quick: bool, data_dir: Path | None) -> Iterator[Cell]:
    """Images and patches x divisions; of a quick run none, for CIFAR-10 does not come with the package."""
    for seed in () if quick else SEEDS:
        for look in ("images", "patches", "colour images"):
            yield Cell({"look": look, "data": "cifar10", "seed": seed}, partial(flip, data_dir, look, seed))
    if not quick:
        key = {"look": "images, and a network", "data": "cifar10", "seed": SEEDS[0]}
        yield Cell(key, partial(flip, data_dir, "images", SEEDS[0], verify=True))


def flip(data_dir: Path | None, look: str, seed: int, verify: bool = False) -> dict[str, Any]:
    """Is the flip of columns found, and what else is claimed?"""
    images = cases.images_of("cifar10", data_dir, look == "colour images")
    side = PATCH if look == "patches" else 14
    truth = torch.kron(
        torch.eye(images.shape[1], dtype=torch.float64), parse_operator("reflection columns", (side, side))
    )
    options = {"patch": PATCH} if look == "patches" else {}
    return measure(cases.Case(images, [truth], [], options), seed=seed, verify=verify)
