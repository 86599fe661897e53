"""Views: each image is seen under unknown elements of a group, without labels."""

from collections.abc import Iterator
from functools import cache, partial
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

import lgn.data
from lgn.data.rotated import rotate, turn
from lgn.discovery.filters import discover_from_views
from lgn.linalg import nearest_permutation
from lgn.nn import Autoencoder, UnfoldedEncoder
from lgn.penalties import AuxiliaryInverse
from lgn.transforms import operator
from studies.runner import Cell

PATCH, IMAGES, VIEWS = (6, 6), 300, 8
TASKS = {"quarter turns": 4, "flips": 2, "unrelated": 1, "uniform angles": 1}  # the dimension to be found


def cells(quick: bool) -> Iterator[Cell]:
    """Groups x image sets x seeds, and the paper's setting on one seed of each."""
    for source in ("digits",) if quick else ("mnist", "cifar10"):
        for task in TASKS:
            for seed in range(1 if quick else 5):
                for method in ("commutators", "paper") if seed == 0 else ("commutators",):
                    key = {"task": task, "data": source, "method": method, "seed": seed}
                    yield Cell(key, partial(measure, source, task, method, seed))


def measure(source: str, task: str, method: str, seed: int) -> dict[str, Any]:
    """The dimension of the group algebra and the relative error of its generator, or of its inverse."""
    views = some_views(_grey_images(source), task, seed)
    name = {"quarter turns": ("rotation", {"degrees": 90}), "flips": ("reflection", {})}.get(task)
    target = None if name is None else operator(name[0], PATCH, **name[1])
    if method == "paper":
        matrices = _paper(views, seed)
        return {"error": None if target is None else min(_error(matrix, target) for matrix in matrices)}
    found = discover_from_views(views, patch=PATCH)
    matrix = found.matrix if found.group is not None and len(found.matrices) == 1 else None
    error = None if target is None or matrix is None else _error(matrix, target)
    return {
        "dimension": found.algebra_dimension,
        "right_dimension": found.algebra_dimension == TASKS[task],
        "eigengap": found.eigengap,
        "error": error,
        "permutation_exact": None
        if target is None or matrix is None
        else any(torch.equal(nearest_permutation(matrix), t) for t in (target, target.T)),
    }


def some_views(images: Tensor, task: str, seed: int) -> Tensor:
    """Views of random images.  uint8 (N, 1, H, W) -> uint8 (IMAGES, VIEWS, 1, H, W)"""
    random = torch.Generator().manual_seed(seed)
    order = torch.randperm(len(images), generator=random)
    if task == "unrelated":
        return images[order[: IMAGES * VIEWS]].unflatten(0, (IMAGES, VIEWS))
    seen = images[order[:IMAGES]].repeat_interleave(VIEWS, 0)
    if task == "quarter turns":
        seen = turn(seen, torch.randint(4, (len(seen),), generator=random))
    elif task == "uniform angles":
        seen = rotate(seen, 2 * torch.pi * torch.rand(len(seen), generator=random))
    else:
        flipped = torch.randint(2, (len(seen), 1, 1, 1), generator=random).bool()
        seen = torch.where(flipped, seen.flip(-1), seen)
    return seen.unflatten(0, (IMAGES, VIEWS))


@cache
def _grey_images(source: str) -> Tensor:
    images = lgn.data.load(source, download=False).train.samples[:10_000]
    return images.float().mean(1, keepdim=True).to(torch.uint8)


def _error(matrix: Tensor, target: Tensor) -> float:
    return min(float((matrix - t).norm() / t.norm()) for t in (target, target.T))


def _paper(views: Tensor, seed: int) -> Tensor:
    """A reconstructing network on all views: a generator per set, dense, with the inverse penalty.  -> (sets, d, d)"""
    images = views.flatten(0, 1).float() / 255
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Autoencoder(UnfoldedEncoder(1, num_layers=2, num_sets=5, group=4, kernel_size=6, normalise=False))
        penalty = AuxiliaryInverse(model, weight=1e-3)
    optimizer = torch.optim.Adam([*model.parameters(), *penalty.parameters()], lr=1e-2)
    for batch in torch.randperm(len(images), generator=torch.Generator().manual_seed(seed)).split(100):
        optimizer.zero_grad()
        (F.mse_loss(model(images[batch]), images[batch]) + penalty()).backward()
        optimizer.step()
    bank = model.encoder.bank
    return bank.generator.matrix().flatten(0, 1).detach().double()  # type: ignore[union-attr,operator]
