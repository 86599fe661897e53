"""Labels alone: does a network that pools over the elements of a set find the turn that its images were given?"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.discovery.images.learned_affine import (
    IMAGES,
    KERNEL,
    ORDER,
    SETS,
    SetPoolClassifier,
    affine_generator,
    free_classifier,
    search_affine,
    train,
)
from lgn.fitting import initial_seed, is_correct
from lgn.nn import GroupConv2d
from lgn.penalties import AuxiliaryInverse
from lgn.transforms import operator
from studies.images import labelled_images
from studies.runner import Cell, grid
from studies.symmetry import sets

TASKS = {
    "quarter turns": sets.random_elements(*range(4)),
    "upright": sets.upright,
    "uniform angles": sets.any_angle,
}
METHODS = ("affine", "known", "free", "paper")
AFFINE_NUMBERS = 6  # that an affine generator learns


class Budget(NamedTuple):
    """How many images, how many starts of the search, and the epochs of the comparison that follows it."""

    train: int
    validation: int
    test: int
    starts: int
    epochs: int

    def split(self, values: Tensor) -> tuple[Tensor, ...]:
        return values.split([self.train, self.validation, self.test])


FULL = Budget(12_000, 2000, 10_000, 8, 6)
QUICK = Budget(3000, 1000, 1000, 4, 6)


def cells(quick: bool) -> Iterator[Cell]:
    tasks, data, seeds, budget = (("quarter turns",), "digits", 1, QUICK) if quick else (TASKS, "mnist", 5, FULL)
    return grid(measure, {"budget": budget}, task=tasks, data=[data], method=METHODS, seed=range(seeds))


def measure(data: str, task: str, method: str, seed: int, budget: Budget) -> dict[str, Any]:
    images, labels = turned_digits(data, task, seed, sum(budget[:3]))
    (x, x_held, x_test), (y, y_held, y_test) = budget.split(images), budget.split(labels)
    found: dict[str, Any] = {}
    if method == "affine":
        search = search_affine((x[:IMAGES], y[:IMAGES]), (x_held, y_held), 10, seed, budget.starts)
        generator = affine_generator(search.model)
        geometry = generator.geometry()._asdict()
        names = ("claimed", "advantage", "standard_error", "p_value")
        found = {name: float(geometry[name]) for name in ("degrees", "scale", "shear", "stretch")}
        found |= {name: getattr(search, name) for name in names}
        again = search.retrained_models
        found["retrained_degrees"] = [float(affine_generator(model).geometry().degrees) for model in again]
        # The comparison is fair to the known rotation: a new network, with the generator that was found, frozen.
        model = grouped(seed, generator="fixed", start=generator.matrix()[0, 0].detach())
    elif method == "known":
        quarter = operator("rotation", (KERNEL, KERNEL), degrees=90).float()
        model = grouped(seed, generator="fixed", start=quarter)
    else:
        model = free_classifier(seed) if method == "free" else grouped(seed, generator="dense", share="set")
    penalty = AuxiliaryInverse(model, weight=1e-3) if method == "paper" else None
    train(model, x, y, budget.epochs, seed, penalty=penalty)
    quality = quality_of(model, x_test, y_test)
    quality["parameters"] += AFFINE_NUMBERS * (method == "affine")
    return quality | found


def quality_of(model: nn.Module, x: Tensor, y: Tensor) -> dict[str, Any]:
    count = sum(parameter.numel() for parameter in model.parameters())
    return {"accuracy": float(is_correct(model, x, y).double().mean()), "parameters": count}


def grouped(seed: int, **options: Any) -> SetPoolClassifier:
    with initial_seed(seed):
        return SetPoolClassifier(GroupConv2d(1, SETS, KERNEL, group=ORDER, bias="set", **options))


def turned_digits(source: str, task: str, seed: int, count: int) -> tuple[Tensor, Tensor]:
    """Digits, turned as the task says and halved in size: exact for quarter turns.  (N, 1, 14, 14), (N,)"""
    images, labels = labelled_images(source)
    random = torch.Generator().manual_seed(seed)
    chosen = torch.randperm(len(images), generator=random)[:count]
    turned = TASKS[task](images[chosen], random)
    return F.avg_pool2d((turned.float() / 255 - 0.13) / 0.3, 2), labels[chosen]
