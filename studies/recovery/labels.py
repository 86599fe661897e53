"""Labels alone: does a network that pools over the elements of a set find the turn that its images were given?"""

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from lgn.data.rotated import rotate, turn
from lgn.discovery.images.learned_affine import (
    IMAGES,
    KERNEL,
    ORDER,
    SETS,
    SetPoolClassifier,
    affine_generator,
    free,
    search_affine,
    train,
)
from lgn.fitting import correct, initial_seed
from lgn.nn import GroupConv2d
from lgn.penalties import AuxiliaryInverse
from lgn.transforms import operator
from studies.runner import Cell
from studies.symmetry.sets import source_images

TASKS = ("quarter turns", "upright", "uniform angles")
METHODS = ("affine", "known", "free", "paper")


class Budget(NamedTuple):
    """How many images, how many starts of the search, and the epochs of the comparison that follows it."""

    train: int
    validation: int
    test: int
    starts: int
    epochs: int


FULL = Budget(12_000, 2000, 10_000, 8, 6)
QUICK = Budget(3000, 1000, 1000, 4, 6)


def cells(quick: bool) -> Iterator[Cell]:
    """Image sets x methods x seeds, what is asked before what it is compared with."""
    source, budget, seeds = ("digits", QUICK, 1) if quick else ("mnist", FULL, 5)
    tasks = TASKS[:1] if quick else TASKS
    for methods in (METHODS[:2], METHODS[2:]):
        for task, seed, method in product(tasks, range(seeds), methods):
            key = {"task": task, "data": source, "method": method, "seed": seed}
            yield Cell(key, partial(measure, source, task, method, seed, budget))


def measure(source: str, task: str, method: str, seed: int, budget: Budget) -> dict[str, Any]:
    """Accuracy on test images and parameters; for `affine`, the angle that was found and whether it is claimed."""
    images, labels = some_images(source, task, seed, budget.train + budget.validation + budget.test)
    parts = [budget.train, budget.validation, budget.test]
    (x, x_held, x_test), (y, y_held, y_test) = images.split(parts), labels.split(parts)
    found: dict[str, Any] = {}
    if method == "affine":
        learns = x[:IMAGES], y[:IMAGES]
        search = search_affine(learns, (x_held, y_held), 10, seed, budget.starts)
        generator = affine_generator(search.model)
        geometry = generator.geometry()
        found = {
            "degrees": float(geometry.degrees),
            "scale": float(geometry.scale),
            "shear": float(geometry.shear),
            "stretch": float(geometry.stretch),
            "claimed": search.claimed,
            "advantage": search.advantage,
            "standard_error": search.standard_error,
            "p_value": search.p_value,
            "starts": search.trials,
            "retrained": search.retrained,
            "retrained_degrees": [float(affine_generator(each).geometry().degrees) for each in search.retrained_models],
            "free": search.free,
        }
        # The comparison is fair to the known rotation: a new network, with what was found and frozen.
        model = known(generator.matrix()[0, 0].detach(), seed)
        own = 6
    else:
        quarter = operator("rotation", (KERNEL, KERNEL), degrees=90).float()
        model = {"free": partial(free, seed), "known": partial(known, quarter, seed), "paper": partial(paper, seed)}[
            method
        ]()
        own = 0
    penalty = AuxiliaryInverse(model, weight=1e-3) if method == "paper" else None
    train(model, x, y, budget.epochs, seed, penalty=penalty)
    count = sum(parameter.numel() for parameter in model.parameters()) + own
    return {"accuracy": float(correct(model, x_test, y_test).double().mean()), "parameters": count, **found}


def known(matrix: Tensor, seed: int) -> SetPoolClassifier:
    """A given generator that is not trained."""
    with initial_seed(seed):
        return SetPoolClassifier(GroupConv2d(1, SETS, KERNEL, group=ORDER, bias="set", generator="fixed", start=matrix))


def paper(seed: int) -> SetPoolClassifier:
    """A dense generator per set, as in the paper; `measure` adds the inverse penalty."""
    with initial_seed(seed):
        return SetPoolClassifier(GroupConv2d(1, SETS, KERNEL, group=ORDER, bias="set", generator="dense", share="set"))


def some_images(source: str, task: str, seed: int, count: int) -> tuple[Tensor, Tensor]:
    """Digits, turned as the task says and halved in size: exact for quarter turns.  (N, 1, 14, 14), (N,)"""
    images, labels = source_images(source)
    random = torch.Generator().manual_seed(seed)
    chosen = torch.randperm(len(images), generator=random)[:count]
    images, labels = images[chosen], labels[chosen]
    if task == "quarter turns":
        images = turn(images, torch.randint(4, (count,), generator=random))
    elif task == "uniform angles":
        images = rotate(images, 2 * torch.pi * torch.rand(count, generator=random))
    return F.avg_pool2d((images.float() / 255 - 0.13) / 0.3, 2), labels
