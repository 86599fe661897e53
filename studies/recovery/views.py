"""Views: each image is seen under unknown elements of a group, without labels."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from lgn.discovery.filters import discover_from_views
from lgn.nn import Autoencoder, UnfoldedEncoder
from lgn.penalties import AuxiliaryInverse
from lgn.transforms import parse_operator
from studies.images import training_images
from studies.recovery.planted import relative_error
from studies.runner import Cell, grid
from studies.symmetry import sets

PATCH, IMAGES, VIEWS = (6, 6), 300, 8
#: The maker of the views, and the dimension to be found.
TASKS: dict[str, tuple[sets.Make | None, int]] = {
    "quarter turns": (sets.random_elements(*range(4)), 4),
    "flips": (sets.random_elements(0, 4), 2),
    "unrelated": (None, 1),
    "uniform angles": (sets.any_angle, 1),
}
OPERATORS = {"quarter turns": "rotation 90", "flips": "reflection"}


def cells(quick: bool) -> Iterator[Cell]:
    data = ("digits",) if quick else ("mnist", "cifar10")
    for seed in range(1 if quick else 5):
        methods = ("commutators", "paper")[: 1 if seed else 2]
        yield from grid(measure, task=TASKS, data=data, method=methods, seed=[seed])


def measure(task: str, data: str, method: str, seed: int) -> dict[str, Any]:
    """The dimension of the group algebra and the relative error of its generator, or of its inverse."""
    views = drawn_views(training_images(data)[:10_000], task, seed)
    target = parse_operator(OPERATORS[task], PATCH) if task in OPERATORS else None
    if method == "paper":
        matrices = _paper(views, seed)
        return {"error": min(relative_error(matrix, target) for matrix in matrices) if target is not None else None}
    found = discover_from_views(views, patch=PATCH)
    known = found.group is not None and len(found.matrices) == 1
    return {
        "dimension": found.algebra_dimension,
        "right_dimension": found.algebra_dimension == TASKS[task][1],
        "eigengap": found.eigengap,
        "error": relative_error(found.matrix, target) if known and target is not None else None,
    }


def drawn_views(images: Tensor, task: str, seed: int) -> Tensor:
    """Views of random images.  uint8 (N, 1, H, W) -> uint8 (IMAGES, VIEWS, 1, H, W)"""
    return sets.views(images, TASKS[task][0], IMAGES, VIEWS, torch.Generator().manual_seed(seed))


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
