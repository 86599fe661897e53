"""Evidence from a network: does a layer whose filters are orbits of T, pooled, beat as many free filters?"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.data import generator_for
from lgn.discovery.filters.start_search import LEVEL
from lgn.discovery.images.fitting import correct, fit
from lgn.discovery.images.observer import seeded, smaller
from lgn.nn import GroupConv2d
from lgn.stats import compare_runs

FILTERS, HIDDEN, KERNEL = 96, 256, 7
#: Networks of each kind.
NETWORKS = 5
#: A symmetry is worth most where images are few: no more than so many are learned from, so often.
FEW, EPOCHS = 1000, 20


@dataclass(frozen=True)
class Gain:
    """Accuracy of orbits of T over that of as many free filters, the mean of several networks each.

    points: in percent, with its standard error. claimed: at most 2 of 100 are, where there is nothing to gain.
    images: how many both learned from; 0 where an older answer does not say.
    """

    points: float
    error: float
    p_value: float
    claimed: bool
    accuracy: float
    free: float
    images: int = 0


class PooledSets(nn.Module):
    """One layer of sets; mean and maximum over the image; a hidden layer that sees one element of every set at a time,
    with the same weights for each; the mean over elements; and a linear head.

    Pooled after the hidden layer, not before it: how features lie to each other is known, which element it is is not.

    Shapes: (N, C, H, W) -> (N, classes)
    """

    def __init__(self, convolution: nn.Module, order: int, classes: int) -> None:
        super().__init__()
        self.convolution, self.order = convolution, order
        sets = FILTERS // order
        self.norm = nn.BatchNorm3d(sets)
        self.hidden = nn.Linear(2 * sets, HIDDEN)
        self.head = nn.Linear(HIDDEN, classes)

    def forward(self, images: Tensor) -> Tensor:
        codes = F.relu(self.norm(self.convolution(images).unflatten(1, (-1, self.order))))  # (N, sets, order, H, W)
        seen = torch.cat([codes.mean((3, 4)), codes.amax((3, 4))], 1).transpose(1, 2)  # (N, order, 2 sets)
        return self.head(F.relu(self.hidden(seen)).mean(1))


def ask_network(
    make: Callable[[tuple[int, int]], Tensor],
    order: int,
    learns: tuple[Tensor, Tensor],
    judges: tuple[Tensor, Tensor],
    classes: int,
    seed: int,
) -> Gain:
    """Orbits of a known matrix, `make(patch)`, of a given order, against free filters that are pooled alike.

    Five networks each. Nothing is chosen among them, so all images that taught nothing judge: `compare_runs`.
    """
    some = torch.randperm(len(learns[0]), generator=generator_for("symmetry gain", seed))[:FEW]
    x, y = smaller(learns[0][some]), learns[1][some]
    x_judge, y_judge = smaller(judges[0]), judges[1]
    kernel = min(KERNEL, *x.shape[-2:])

    def orbits(with_seed: int) -> nn.Module:
        with seeded("gain", with_seed):
            matrix = make((kernel, kernel)).float()
            layer = GroupConv2d(
                x.shape[1], FILTERS // order, kernel, group=order, bias="set", generator="fixed", start=matrix
            )
            return PooledSets(layer, order, classes)

    def free(with_seed: int) -> nn.Module:
        with seeded("gain", with_seed):
            return PooledSets(nn.Conv2d(x.shape[1], FILTERS, kernel), order, classes)

    def right(make_one: Callable[[int], nn.Module]) -> Tensor:
        """(networks, images)"""
        found = []
        for number in range(NETWORKS):
            model = make_one(NETWORKS * seed + number)
            fit(model, x, y, EPOCHS, NETWORKS * seed + number)
            found.append(correct(model, x_judge, y_judge))
        return torch.stack(found)

    ours, control = right(orbits), right(free)
    advantage, error, p_value = map(float, compare_runs(ours, control))
    accuracy, without = (float(each.double().mean()) for each in (ours, control))
    return Gain(100 * advantage, 100 * error, p_value, p_value <= LEVEL, accuracy, without, len(x))
