"""Labels alone: does a network that pools over the elements of a set find the turn that its images were given?"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

import lgn.data
from lgn.benchmarks.cells import Cell
from lgn.data.rotated import rotate, turn
from lgn.discovery import parameter_groups, search_starts, spread_angles
from lgn.discovery.learned import REBASE
from lgn.generators import Affine, Dense, generators_of, rebase
from lgn.nn import GroupConv2d
from lgn.nn.group_stack import pool_sets
from lgn.operators import operator
from lgn.penalties import AuxiliaryInverse, Penalty

SETS, ORDER, KERNEL, BATCH = 24, 4, 9, 100
LEARNING_RATE = 1e-2
TASKS = ("quarter turns", "upright", "uniform angles")
METHODS = ("affine", "known", "free", "paper")


class Budget(NamedTuple):
    """How many images and epochs: for the search, and for the comparison that follows it."""

    train: int
    validation: int
    test: int
    starts: int
    search_images: int
    search_epochs: int
    epochs: int


FULL = Budget(12_000, 2000, 10_000, 8, 6000, 3, 6)
QUICK = Budget(3000, 1000, 1000, 4, 3000, 6, 6)


class SetPoolClassifier(nn.Module):
    """One group layer, the largest response of each set, its mean and maximum over the image, and a linear head.

    Shapes: (N, 1, 14, 14) -> (N, 10)
    """

    def __init__(self, convolution: nn.Module) -> None:
        super().__init__()
        self.convolution = convolution
        self.norm = nn.BatchNorm2d(SETS)
        self.head = nn.Linear(2 * SETS, 10)

    def forward(self, images: Tensor) -> Tensor:
        codes = F.relu(self.norm(pool_sets(self.convolution(images), ORDER)))
        return self.head(torch.cat([codes.mean((2, 3)), codes.amax((2, 3))], 1))


def cells(quick: bool, data_dir: Path | None) -> Iterator[Cell]:
    """Image sets x methods x seeds, what is asked before what it is compared with."""
    source, budget, seeds = ("digits", QUICK, 1) if quick else ("mnist", FULL, 5)
    tasks = TASKS[:1] if quick else TASKS
    for methods in (METHODS[:2], METHODS[2:]):
        for task, seed, method in product(tasks, range(seeds), methods):
            key = {"task": task, "data": source, "method": method, "seed": seed}
            yield Cell(key, partial(measure, source, data_dir, task, method, seed, budget))


def measure(source: str, data_dir: Path | None, task: str, method: str, seed: int, budget: Budget) -> dict[str, Any]:
    """Accuracy on test images and parameters; for `affine`, the angle that was found and whether it is claimed."""
    images, labels = some_images(source, data_dir, task, seed, budget.train + budget.validation + budget.test)
    parts = [budget.train, budget.validation, budget.test]
    (x, x_held, x_test), (y, y_held, y_test) = images.split(parts), labels.split(parts)
    found: dict[str, Any] = {}
    if method == "affine":
        search = search_starts(
            {f"{angle:.1f}": partial(affine, angle) for angle in starting_angles(budget.starts, seed)},
            free,
            lambda model, with_seed: train(
                model, x[: budget.search_images], y[: budget.search_images], budget.search_epochs, with_seed
            ),
            partial(correct, x=x_held, y=y_held),
            seed=seed,
        )
        generator = _generator(search.model)
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
            "starts": {trial.name: trial.validation for trial in search.trials},
            "retrained": search.retrained.validation,
            "retrained_degrees": [float(_generator(each).geometry().degrees) for each in search.retrained_models],
            "free": search.free.validation,
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
    train(model, x, y, budget.epochs, seed)
    count = sum(parameter.numel() for parameter in model.parameters()) + own
    return {"accuracy": float(correct(model, x_test, y_test).double().mean()), "parameters": count, **found}


def _generator(model: nn.Module) -> Affine:
    generator = next(iter(generators_of(model).values()))
    assert isinstance(generator, Affine)
    return generator


def starting_angles(count: int, seed: int) -> list[float]:
    """Spread evenly, moved by the seed, and none within 10 degrees of a multiple of 90 where there are 8."""
    return list(spread_angles(count, offset=(-10, -5, 0, 5, 10)[seed % 5]))


def free(seed: int) -> SetPoolClassifier:
    """The control: as many filters, pooled alike, without a group."""
    with seeded(seed):
        return SetPoolClassifier(nn.Conv2d(1, SETS * ORDER, KERNEL))


def known(matrix: Tensor, seed: int) -> SetPoolClassifier:
    """A given generator that is not trained."""
    with seeded(seed):
        return SetPoolClassifier(GroupConv2d(1, SETS, ORDER, KERNEL, bias="set", generator="fixed", start=matrix))


def affine(degrees: float, seed: int) -> SetPoolClassifier:
    """An affine generator for the whole layer, that starts as a rotation."""
    start = operator("rotation", (KERNEL, KERNEL), degrees=degrees, mode="bilinear")
    with seeded(seed):
        return SetPoolClassifier(
            GroupConv2d(1, SETS, ORDER, KERNEL, bias="set", generator="affine", share="layer", start=start)
        )


def paper(seed: int) -> SetPoolClassifier:
    """A dense generator per set, as in the paper; `train` adds the inverse penalty."""
    with seeded(seed):
        return SetPoolClassifier(GroupConv2d(1, SETS, ORDER, KERNEL, bias="set", generator="dense", share="set"))


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield


def train(
    model: nn.Module,
    x: Tensor,
    y: Tensor,
    epochs: int,
    seed: int,
    penalty: Penalty | None = None,
    rate: float | None = None,
) -> None:
    """Adam with a rate that rises and falls once; an affine generator learns ten times as fast.

    With a penalty on moments generators may travel far, so the origin of their coordinates is moved along.
    """
    families = {type(generator) for generator in generators_of(model).values()}
    usual = max((f.learning_rate for f in families), default=1.0)
    groups = parameter_groups(model, LEARNING_RATE, usual if rate is None else rate)
    rebasing = penalty is not None
    if penalty is None and Dense in families:
        penalty = AuxiliaryInverse(model, weight=1e-3)
    if penalty is not None and any(True for _ in penalty.parameters()):
        groups.append({"params": list(penalty.parameters()), "lr": LEARNING_RATE})
    optimizer = torch.optim.Adam(groups)
    steps = epochs * math.ceil(len(x) / BATCH)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, [g["lr"] for g in groups], total_steps=steps)
    random = torch.Generator().manual_seed(seed)
    model.train()
    for _ in range(epochs):
        for batch in torch.randperm(len(x), generator=random).split(BATCH):
            loss = F.cross_entropy(model(x[batch]), y[batch])
            optimizer.zero_grad()
            (loss if penalty is None else loss + penalty()).backward()
            optimizer.step()
            scheduler.step()
            if rebasing and scheduler.last_epoch % REBASE == 0:
                rebase(model)


@torch.no_grad()
def correct(model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    """Whether each image is classified rightly.  -> bool (N,)"""
    model.eval()
    return torch.cat([model(batch).argmax(1) for batch in x.split(500)]) == y


def some_images(source: str, data_dir: Path | None, task: str, seed: int, count: int) -> tuple[Tensor, Tensor]:
    """Digits, turned as the task says and halved in size: exact for quarter turns.  (N, 1, 14, 14), (N,)"""
    images, labels = _digits(source, data_dir)
    random = torch.Generator().manual_seed(seed)
    chosen = torch.randperm(len(images), generator=random)[:count]
    images, labels = images[chosen], labels[chosen]
    if task == "quarter turns":
        images = turn(images, torch.randint(4, (count,), generator=random))
    elif task == "uniform angles":
        images = rotate(images, 2 * torch.pi * torch.rand(count, generator=random))
    return F.avg_pool2d((images.float() / 255 - 0.13) / 0.3, 2), labels


@cache
def _digits(source: str, data_dir: Path | None) -> tuple[Tensor, Tensor]:
    both = lgn.data.load(source, data_dir, download=False)
    assert both.train.labels is not None
    assert both.test.labels is not None
    return torch.cat([both.train.images, both.test.images]), torch.cat([both.train.labels, both.test.labels])
