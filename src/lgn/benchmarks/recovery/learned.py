"""Learned with the task: a generator from random starts, by backpropagation through a loss on moments and on labels."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from lgn.benchmarks.cells import Cell
from lgn.benchmarks.recovery.labels import (
    FULL,
    KERNEL,
    ORDER,
    QUICK,
    SETS,
    Budget,
    SetPoolClassifier,
    correct,
    free,
    known,
    seeded,
    some_images,
    train,
)
from lgn.data.rotated import turn
from lgn.discovery import Learned, judge, learn_generator, random_generators
from lgn.discovery.start_search import FRESH, LEVEL, RETRAININGS
from lgn.generators import generators_of
from lgn.nn import GroupConv2d
from lgn.operators import operator
from lgn.penalties import KeptMoments

STARTS, STEPS = 6, 150
RATE = 10.0  # of a generator that learns from moments, over that of the network
FAMILIES = ("cyclic", "orthogonal", "dense")
TASKS = ("quarter turns", "upright", "labelled by turn")


def cells(quick: bool, data_dir: Path | None) -> Iterator[Cell]:
    """Networks by task, family and seed; then what is learned from moments alone, of other groups and patches."""
    source, budget, seeds = ("digits", QUICK, 1) if quick else ("mnist", FULL, 5)
    for task, seed in product(TASKS[:1] if quick else TASKS, range(seeds)):
        yield _network(source, data_dir, task, "cyclic", STARTS, seed, budget)
    if quick:
        return
    for seed in range(seeds):
        yield _network(source, data_dir, "quarter turns", "cyclic", 1, seed, budget)
    for family, seed in product(FAMILIES[1:], range(seeds)):
        yield _network(source, data_dir, "quarter turns", family, STARTS, seed, budget)


def _network(
    source: str, data_dir: Path | None, task: str, family: str, starts: int, seed: int, budget: Budget
) -> Cell:
    key = {"task": task, "data": source, "method": family, "starts": starts, "seed": seed}
    return Cell(key, partial(measure, source, data_dir, task, family, starts, seed, budget))


def measure(
    source: str, data_dir: Path | None, task: str, family: str, starts: int, seed: int, budget: Budget
) -> dict[str, Any]:
    """Accuracy of the network that learned its generator, how far that is from a quarter turn, and the verdicts.

    One start: the network and its generator learn together from the first step. Several: the generator learns from
    moments, the best start goes on learning with the network. What other images do not keep is not judged further.
    """
    images, labels = images_of(source, data_dir, task, seed, budget.train + budget.validation + budget.test)
    parts = [budget.train, budget.validation, budget.test]
    (x, x_held, x_test), (y, y_held, y_test) = images.split(parts), labels.split(parts)
    learned = None
    if starts > 1:
        patch = (KERNEL, KERNEL)
        learned = learn_generator(x, y, patch, ORDER, family=family, starts=starts, steps=STEPS, seed=seed)
    model = network(family, learned, seed)
    train(model, x, y, budget.epochs, seed, KeptMoments(model, x, y), RATE if learned is None else RATE / 10)
    (generator,) = generators_of(model).values()
    matrix = generator.matrix()[0, 0].detach()
    found: dict[str, Any] = {"error": turn_error(matrix)}
    if learned is not None:
        found |= {
            "learned_error": turn_error(learned.matrices[0]),
            "verdict": learned.verdict,
            "ratio": learned.ratio,
            "violations": learned.violations.tolist(),
            "claimed": False,
        }
        if learned.verdict == "kept":
            found |= judged(
                learned.matrices[0], x[: budget.search_images], y[: budget.search_images], x_held, y_held, seed
            )
    count = sum(parameter.numel() for parameter in model.parameters())
    return {"accuracy": float(correct(model, x_test, y_test).double().mean()), "parameters": count, **found}


def network(family: str, learned: Learned | None, seed: int) -> SetPoolClassifier:
    """The group layer of the labels benchmark with one generator, at a random start or where moments left it."""
    with seeded(seed):
        generator = random_generators(family, (KERNEL, KERNEL), ORDER, 1)
        if learned is not None:
            options = generator.options()
            generator = type(generator)(learned.matrices.unsqueeze(1), (KERNEL, KERNEL), ORDER, **options)
        return SetPoolClassifier(GroupConv2d(1, SETS, ORDER, KERNEL, bias="set", generator=generator, share="layer"))


def judged(matrix: Tensor, x: Tensor, y: Tensor, x_held: Tensor, y_held: Tensor, seed: int) -> dict[str, Any]:
    """Frozen, against free filters: fresh seeds, and images that taught nothing, as `search_starts` judges."""
    seeds = [FRESH + RETRAININGS * seed + number for number in range(RETRAININGS)]

    def right(make: Callable[[int], nn.Module]) -> Tensor:
        rows = []
        for each in seeds:
            model = make(each)
            train(model, x, y, FULL.search_epochs, each)
            rows.append(correct(model, x_held, y_held))
        return torch.stack(rows)

    verdict = judge(right(partial(known, matrix)), right(free))
    return {
        "advantage": float(verdict.advantage),
        "standard_error": float(verdict.standard_error),
        "p_value": float(verdict.p_value),
        "claimed": float(verdict.p_value) <= LEVEL,
    }


def turn_error(matrix: Tensor) -> float:
    """Relative distance to the nearer of the quarter turn and its inverse."""
    quarter = operator("rotation", (KERNEL, KERNEL), degrees=90).to(matrix)
    return min(float((matrix - each).norm() / each.norm()) for each in (quarter, quarter.mT))


def images_of(source: str, data_dir: Path | None, task: str, seed: int, count: int) -> tuple[Tensor, Tensor]:
    """Those of the labels benchmark, and digits whose label is by how many quarters they were turned."""
    if task != "labelled by turn":
        return some_images(source, data_dir, task, seed, count)
    images, _ = some_images(source, data_dir, "upright", seed, count)
    quarters = torch.randint(4, (count,), generator=torch.Generator().manual_seed(seed))
    return turn(images, quarters), quarters
