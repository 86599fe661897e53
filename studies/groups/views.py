"""Views of images under unknown elements of a group: is it named rightly, and none where there is none?"""

from collections.abc import Iterator
from functools import cache, partial
from itertools import product
from typing import Any

import torch
from torch import Tensor

import lgn.data
from lgn.discovery.filters import discover_from_views
from studies.runner import Cell

PATCH, IMAGES, VIEWS = (6, 6), 300, 24
TASKS = {"D4": "D4", "C2 x C2": "C2 x C2", "C4": "C4", "transposition": "C2", "unrelated": "none"}


def cells(quick: bool) -> Iterator[Cell]:
    """Groups x noise x image sets x seeds."""
    for source in ("digits",) if quick else ("mnist", "cifar10"):
        for task, noise, seed in product(TASKS, (0.0, 0.01, 0.05), range(1 if quick else 5)):
            key = {"task": task, "noise": noise, "data": source, "seed": seed}
            yield Cell(key, partial(measure, source, task, noise, seed))


def measure(source: str, task: str, noise: float, seed: int) -> dict[str, Any]:
    """The name that is given, and whether it is right, or at least not wrong."""
    found = discover_from_views(some_views(_grey_images(source), task, noise, seed), patch=PATCH)
    return {
        "name": found.name,
        "right": found.name == TASKS[task],
        "right_or_none": found.name in (TASKS[task], "none"),
        "dimension": found.algebra_dimension,
        "eigengap": found.eigengap,
    }


def some_views(images: Tensor, task: str, noise: float, seed: int) -> Tensor:
    """uint8 (N, 1, H, W) -> float (IMAGES, VIEWS, 1, H, W), noise as a share of each image's root mean square"""
    random = torch.Generator().manual_seed(seed)
    order = torch.randperm(len(images), generator=random)
    if task == "unrelated":
        chosen = images[order[: IMAGES * VIEWS]]
        views = chosen[torch.arange(IMAGES * VIEWS) % len(chosen)].float().unflatten(0, (IMAGES, VIEWS))
    else:
        seen = images[order[:IMAGES]].float()
        elements = torch.stack(_elements(seen, task), 1)  # (IMAGES, order, 1, H, W)
        which = torch.randint(elements.shape[1], (IMAGES, VIEWS), generator=random)
        views = elements[torch.arange(IMAGES)[:, None], which]
    size = views.square().mean((-3, -2, -1), keepdim=True).sqrt()
    return views + noise * size * torch.randn(views.shape, generator=random)


def _elements(x: Tensor, task: str) -> list[Tensor]:
    if task == "D4":
        return [(x.flip(-1) if flip else x).rot90(j, (-2, -1)) for flip in (0, 1) for j in range(4)]
    if task == "C4":
        return [x.rot90(j, (-2, -1)) for j in range(4)]
    if task == "transposition":
        return [x, x.mT]
    return [x, x.flip(-1), x.flip(-2), x.flip(-1, -2)]


@cache
def _grey_images(source: str) -> Tensor:
    images = lgn.data.load(source, download=False).train.samples[:10_000]
    return images.float().mean(1, keepdim=True).to(torch.uint8)
