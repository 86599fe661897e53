"""Image sets whose symmetry a generator is to learn: images, the group, and the matrices that would be right."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations

import torch
from torch import Tensor

import lgn.data
from lgn.actions import Patch
from lgn.data.rotated import turn
from lgn.discovery.images.learned_affine import KERNEL
from lgn.transforms import operator
from studies.recovery.labels import some_images

SQUARE = (KERNEL, KERNEL)
COLOURS = (3, 1)


@dataclass(frozen=True)
class Task:
    """What was planted. `right` has, for each generator of the group, the matrices that it may become."""

    group: str
    family: str
    patch: Patch
    right: tuple[tuple[Tensor, ...], ...]
    planted: bool = True

    def error(self, matrices: Tensor) -> float:
        """The relative distance of generators to the nearest that generate the group, the worst of them."""
        return max(
            min(float((matrix - each).norm() / each.norm()) for each in some)
            for matrix, some in zip(matrices.double(), self.right, strict=True)
        )


def _quarters() -> tuple[Tensor, ...]:
    quarter = operator("rotation", SQUARE, degrees=90)
    return quarter, quarter.mT


def _flips() -> tuple[Tensor, ...]:
    flip, (quarter, _) = operator("reflection", SQUARE, axis="columns"), _quarters()
    return tuple(torch.linalg.matrix_power(quarter, number) @ flip for number in range(4))


def _cycles() -> tuple[Tensor, ...]:
    eye = torch.eye(3, dtype=torch.float64)
    return eye.roll(1, 0), eye.roll(2, 0)


TASKS: dict[str, Callable[[], Task]] = {
    "quarter turns": lambda: Task("C4", "cyclic", SQUARE, (_quarters(),)),
    "upright": lambda: Task("C4", "cyclic", SQUARE, (_quarters(),), planted=False),
    "labelled by turn": lambda: Task("C4", "cyclic", SQUARE, (_quarters(),)),
    "flips": lambda: Task("C2", "cyclic", SQUARE, (_flips()[:1],)),
    "turns and flips": lambda: Task("D4", "representation", SQUARE, (_quarters(), _flips())),
    "permuted colours": lambda: Task("C3", "cyclic", COLOURS, (_cycles(),)),
    "colours as they are": lambda: Task("C3", "cyclic", COLOURS, (_cycles(),), planted=False),
}


def images_of(source: str, task: str, seed: int, count: int) -> tuple[Tensor, Tensor]:
    """Those of the labels benchmark, moved by elements of the group that nobody notes."""
    random = torch.Generator().manual_seed(seed)
    if TASKS[task]().patch == COLOURS:
        return _photographs(task == "permuted colours", count, random)
    if task in ("quarter turns", "upright"):
        return some_images(source, task, seed, count)
    images, labels = some_images(source, "upright", seed, count)
    quarters = torch.randint(4, (count,), generator=random)
    if task == "labelled by turn":
        return turn(images, quarters), quarters
    flipped = torch.rand(count, generator=random) < 0.5
    images[flipped] = images[flipped].flip(-1)
    return (turn(images, quarters) if task == "turns and flips" else images), labels


def _photographs(permuted: bool, count: int, random: torch.Generator) -> tuple[Tensor, Tensor]:
    train = lgn.data.load("cifar10", download=False).train
    assert train.labels is not None
    chosen = torch.randperm(len(train.samples), generator=random)[:count]
    images = train.samples[chosen].float() / 255
    if permuted:
        orders = torch.tensor(list(permutations(range(3))))[torch.randint(6, (count,), generator=random)]
        images = images.gather(1, orders.view(-1, 3, 1, 1).expand_as(images))
    return images, train.labels[chosen]
