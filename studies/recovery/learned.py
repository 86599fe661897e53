"""Generators learned with the task, from random starts, by backpropagation through a loss on moments and on labels."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import torch
from torch import Tensor

import lgn.data
from lgn.actions import Patch
from lgn.analysis import analyze_matrices
from lgn.analysis.result import operator_name
from lgn.answer import Defect
from lgn.data.rotated import turn
from lgn.discovery.filters import learn_generator
from lgn.discovery.filters.learned import random_generators
from lgn.discovery.images.learned_affine import KERNEL, ORDER, SETS, SetPoolClassifier, train
from lgn.fitting import initial_seed
from lgn.generators import generators_of
from lgn.groups import as_group
from lgn.measures import total_error
from lgn.nn import GroupConv2d
from lgn.penalties import KeptMoments
from lgn.transforms import operator
from studies.recovery.labels import FULL, QUICK, Budget, grouped, quality_of, turned_digits
from studies.runner import Cell, grid
from studies.symmetry import sets

STARTS, STEPS = 6, 150
RATE = 10.0  # of a generator that learns from moments, over that of the network
SQUARE, COLOURS = (KERNEL, KERNEL), (3, 1)


@dataclass(frozen=True)
class Task:
    """A planted group. `right` has, for each generator of the group, the matrices that it may become."""

    group: str
    family: str
    patch: Patch
    right: tuple[tuple[Tensor, ...], ...]

    def error(self, matrices: Tensor) -> float:
        """The relative distance of generators to the nearest that generate the group, the largest of them."""
        pairs = zip(matrices.double(), self.right, strict=True)
        return max(min(total_error(matrix, target) for target in targets) for matrix, targets in pairs)


QUARTER, FLIP = operator("rotation", SQUARE, degrees=90), operator("reflection", SQUARE, axis="columns")
QUARTERS = (QUARTER, QUARTER.mT)
FLIPS = tuple(torch.linalg.matrix_power(QUARTER, number) @ FLIP for number in range(4))
CYCLES = tuple(torch.eye(3, dtype=torch.float64).roll(places, 0) for places in (1, 2))

#: The symmetry was planted but in "upright" and in "colours as they are".
TASKS = {
    "quarter turns": Task("C4", "cyclic", SQUARE, (QUARTERS,)),
    "upright": Task("C4", "cyclic", SQUARE, (QUARTERS,)),
    "labelled by turn": Task("C4", "cyclic", SQUARE, (QUARTERS,)),
    "flips": Task("C2", "cyclic", SQUARE, (FLIPS[:1],)),
    "turns and flips": Task("D4", "representation", SQUARE, (QUARTERS, FLIPS)),
    "permuted colours": Task("C3", "cyclic", COLOURS, (CYCLES,)),
    "colours as they are": Task("C3", "cyclic", COLOURS, (CYCLES,)),
}


def cells(quick: bool) -> Iterator[Cell]:
    """Each symmetry and a case without it; then other groups, other families, and a single start."""

    def networks(data: str, *tasks: str, family: str = "cyclic", starts: int = STARTS) -> Iterator[Cell]:
        budget, seeds = (QUICK, 1) if quick else (FULL, 5)
        axes: dict[str, Any] = {"data": [data], "task": tasks, "method": [family], "starts": [starts]}
        return grid(measure, {"budget": budget}, **axes, seed=range(seeds))

    if quick:
        return networks("digits", "quarter turns")
    return chain(
        networks("mnist", "quarter turns", "upright"),
        networks("cifar10", "permuted colours", "colours as they are"),
        networks("mnist", "flips", "labelled by turn"),
        networks("mnist", "turns and flips", family="representation"),
        networks("mnist", "quarter turns", family="orthogonal"),
        networks("mnist", "quarter turns", family="dense"),
        networks("mnist", "quarter turns", starts=1),
    )


def measure(data: str, task: str, method: str, starts: int, seed: int, budget: Budget) -> dict[str, Any]:
    """The error of the learned generator, the verdict, and the accuracy of its network.

    One start: the network and its generator learn together from the first step. Several: the generator learns from
    moments, class by class, and the best start is judged by other images. A generator that is kept is then given to a
    new network, frozen, as `labels` does with an affine one.
    """
    images, labels = images_of(data, task, seed, sum(budget[:3]))
    (x, _, x_test), (y, _, y_test) = budget.split(images), budget.split(labels)
    asked = TASKS[task]
    if starts == 1:
        with initial_seed(seed):
            start = random_generators(method, SQUARE, ORDER, 1)
            layer = GroupConv2d(1, SETS, KERNEL, group=ORDER, bias="set", generator=start, share="layer")
            model = SetPoolClassifier(layer)
        train(model, x, y, budget.epochs, seed, penalty=KeptMoments(model, x, y), factor=RATE)
        (generator,) = generators_of(model).values()
        return {"error": asked.error(generator.matrix()[:, 0].detach()), **quality_of(model, x_test, y_test)}
    options: dict[str, Any] = {"patch": asked.patch, "group": asked.group, "family": method}
    answer = learn_generator(x, y, **options, starts=starts, steps=STEPS, seed=seed)
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
    if verdict != "kept" or asked.group != "C4":  # the network is made for it
        return {"accuracy": None, **found}
    model = grouped(seed, generator="fixed", start=matrices[0])
    train(model, x, y, budget.epochs, seed)
    return found | quality_of(model, x_test, y_test)


def analysed(matrices: Tensor, asked: Task) -> dict[str, Any]:
    """The nearest operator of each generator with its p-value, against every null that applies."""
    if asked.patch == COLOURS:  # no null is about colours
        return {}
    group = as_group(asked.group)
    nearest = [
        analyze_matrices(matrix, patch=asked.patch, order=group.element_orders[element]).generators[0].nearest[0]
        for matrix, element in zip(matrices, group.generator_elements, strict=True)
    ]
    return {"nearest": [operator_name(one) for one in nearest], "nearest_p": [one.adjusted_p_value for one in nearest]}


def images_of(source: str, task: str, seed: int, count: int) -> tuple[Tensor, Tensor]:
    """The images of the part `labels`, under random elements of the group."""
    random = torch.Generator().manual_seed(seed)
    if TASKS[task].patch == COLOURS:
        photographs = lgn.data.load("cifar10", download=False).train
        assert photographs.labels is not None
        chosen = torch.randperm(len(photographs.samples), generator=random)[:count]
        images = photographs.samples[chosen].float() / 255
        return sets.reordered(images, random) if task == "permuted colours" else images, photographs.labels[chosen]
    if task in ("quarter turns", "upright"):
        return turned_digits(source, task, seed, count)
    images, labels = turned_digits(source, "upright", seed, count)
    quarters = torch.randint(4, (count,), generator=random)
    if task == "labelled by turn":
        return turn(images, quarters), quarters
    flipped = torch.rand(count, generator=random) < 0.5
    images[flipped] = images[flipped].flip(-1)
    return (turn(images, quarters) if task == "turns and flips" else images), labels
