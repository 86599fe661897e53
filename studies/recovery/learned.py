"""Learned with the task: a generator from random starts, by backpropagation through a loss on moments and on labels."""

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import torch
from torch import Tensor, nn

from lgn.analysis import analyze_matrices
from lgn.analysis.tables import operator_name
from lgn.answer import Defect
from lgn.discovery.filters import learn_generator
from lgn.discovery.filters.learned import random_generators
from lgn.discovery.images.learned_affine import KERNEL, ORDER, SETS, SetPoolClassifier, train
from lgn.fitting import correct, initial_seed
from lgn.generators import generators_of
from lgn.groups import as_group
from lgn.nn import GroupConv2d
from lgn.penalties import KeptMoments
from studies.recovery.labels import FULL, QUICK, Budget, known
from studies.recovery.learned_tasks import TASKS, Task, images_of
from studies.runner import Cell

STARTS, STEPS = 6, 150
RATE = 10.0  # of a generator that learns from moments, over that of the network
FAMILIES = ("cyclic", "orthogonal", "dense")
FIRST = ("quarter turns", "upright")
COLOURED = ("permuted colours", "colours as they are")
OTHERS = ("flips", "turns and flips", "labelled by turn")


def cells(quick: bool) -> Iterator[Cell]:
    """By seed and task, each symmetry beside a case that has none; then by family."""
    source, budget, seeds = ("digits", QUICK, 1) if quick else ("mnist", FULL, 5)
    for seed, task in product(range(seeds), FIRST[:1] if quick else FIRST):
        yield _network(source, task, "cyclic", STARTS, seed, budget)
    if quick:
        return
    for task, seed in product(COLOURED, range(seeds)):
        yield _network("cifar10", task, "cyclic", STARTS, seed, budget)
    for seed in range(seeds):
        for task in OTHERS:
            yield _network(source, task, TASKS[task]().family, STARTS, seed, budget)
        for family in FAMILIES[1:]:
            yield _network(source, "quarter turns", family, STARTS, seed, budget)
        yield _network(source, "quarter turns", "cyclic", 1, seed, budget)


def _network(source: str, task: str, family: str, starts: int, seed: int, budget: Budget) -> Cell:
    key = {"task": task, "data": source, "method": family, "starts": starts, "seed": seed}
    return Cell(key, partial(measure, source, task, family, starts, seed, budget))


def measure(source: str, task: str, family: str, starts: int, seed: int, budget: Budget) -> dict[str, Any]:
    """How far the generator that was learned is from one that is right, the verdict, and the accuracy of its network.

    One start: the network and its generator learn together from the first step. Several: the generator learns from
    moments, class by class, and the best start is judged by images that taught it nothing; what they keep is then given
    to a new network, frozen, as `labels` does with what *affine* finds.
    """
    images, labels = images_of(source, task, seed, budget.train + budget.validation + budget.test)
    parts = [budget.train, budget.validation, budget.test]
    (x, _, x_test), (y, _, y_test) = images.split(parts), labels.split(parts)
    asked = TASKS[task]()
    if starts == 1:
        model = network(family, seed)
        train(model, x, y, budget.epochs, seed, penalty=KeptMoments(model, x, y), factor=RATE)
        (generator,) = generators_of(model).values()
        matrices = generator.matrix()[:, 0].detach()
        return {"error": asked.error(matrices), **_accuracy(model, x_test, y_test)}
    answer = learn_generator(
        x, y, patch=asked.patch, group=asked.group, family=family, starts=starts, steps=STEPS, seed=seed
    )
    matrices = torch.stack([row.transformation.matrix for row in answer.rows if row.transformation.matrix is not None])
    (evidence,), verdict = answer.rows[0].evidence, answer.rows[0].verdict
    assert isinstance(evidence.detail, Defect)
    found = {
        "error": asked.error(matrices),
        "verdict": verdict,
        "ratio": evidence.value / evidence.detail.noise if evidence.detail.noise else 0.0,
        "claimed": verdict == "kept",
        **(analysed(matrices, asked) if verdict == "kept" else {}),
    }
    if verdict != "kept" or asked.group != "C4":  # which the network of the labels benchmark is made for
        return {"accuracy": None, **found}
    model = known(matrices[0], seed)
    train(model, x, y, budget.epochs, seed)
    return found | _accuracy(model, x_test, y_test)


def analysed(matrices: Tensor, asked: Task) -> dict[str, Any]:
    """What an analysis says of generators that were learned: the findings of each, and the nearest operator with its p.

    Both are against every null that applies, those that keep smoothness too. No null is about colours.
    """
    if asked.patch[-1] == 1:
        return {}
    group = as_group(asked.group)
    about = [
        analyze_matrices(matrix, asked.patch, order=group.element_orders[element]).generators[0]
        for matrix, element in zip(matrices, group.generator_elements, strict=True)
    ]
    return {
        "findings": [[each.name for each in one.findings] for one in about],
        "nearest": [operator_name(one.nearest[0]) for one in about],
        "nearest_p": [one.nearest[0].adjusted_p_value for one in about],
    }


def _accuracy(model: nn.Module, x: Tensor, y: Tensor) -> dict[str, Any]:
    count = sum(parameter.numel() for parameter in model.parameters())
    return {"accuracy": float(correct(model, x, y).double().mean()), "parameters": count}


def network(family: str, seed: int) -> SetPoolClassifier:
    """The group layer of the labels benchmark with one generator, at a random start."""
    with initial_seed(seed):
        generator = random_generators(family, (KERNEL, KERNEL), ORDER, 1)
        return SetPoolClassifier(
            GroupConv2d(1, SETS, KERNEL, group=ORDER, bias="set", generator=generator, share="layer")
        )
