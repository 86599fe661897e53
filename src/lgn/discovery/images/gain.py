"""Evidence from a network: whether a layer of orbits of T classifies better than a layer of as many free filters."""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.actions import matrix_of
from lgn.answer import Evidence, Gain
from lgn.data import generator_for
from lgn.discovery.observers import shrink
from lgn.fitting import BATCH, Labelled, epochs_of, fit, is_correct, seeded
from lgn.nn import GroupConv2d
from lgn.stats import LEVEL, compare_runs, student_margin
from lgn.transforms import Transformation

FILTERS, HIDDEN, KERNEL = 96, 256, 7
#: The number of networks of each kind.
NETWORKS = 5
#: The number of training images, because a symmetry helps most with few images, and the number of epochs.
FEW, EPOCHS = 1000, 20


class PooledSets(nn.Module):
    """A layer of filter sets; mean and maximum over the image; a hidden layer; the mean over elements; a linear head.

    The hidden layer sees one element of every set at a time, with the same weights for all elements. It relates the
    features of one element to each other, but does not know which element it is.

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
        features = torch.cat([codes.mean((3, 4)), codes.amax((3, 4))], 1).transpose(1, 2)  # (N, order, 2 sets)
        return self.head(F.relu(self.hidden(features)).mean(1))


def network_gain(
    transformation: Transformation, training: Labelled, test: Labelled, classes: int, seed: int
) -> Evidence:
    """The gain in points of orbits of a transformation over free filters that are pooled alike.

    Shapes: images (N, C, H, W) and labels (N,)
    """
    order = transformation.order
    if order is None or FILTERS % order:
        raise ValueError(f"transformation must have an order that divides {FILTERS}, got {order}")
    random = generator_for("symmetry gain", seed)
    indices = torch.randperm(len(training[0]), generator=random)[:FEW]
    x, y = shrink(training[0][indices]), training[1][indices].to(training[0].device)
    x_test, y_test = shrink(test[0]), test[1].to(test[0].device)
    kernel, channels = min(KERNEL, *x.shape[-2:]), x.shape[1]

    def orbits() -> nn.Module:
        start = matrix_of(transformation, (kernel, kernel)).float()
        return GroupConv2d(channels, FILTERS // order, kernel, group=order, bias="set", generator="fixed", start=start)

    def tested(make_layer: Callable[[], nn.Module]) -> Tensor:
        """Whether several networks classify the test images correctly.  -> (networks, images)"""
        results = []
        for number in range(NETWORKS * seed, NETWORKS * (seed + 1)):
            with seeded("symmetry gain", number):
                model = PooledSets(make_layer(), order, classes).to(x.device)
            steps = EPOCHS * -(-len(x) // BATCH)
            fit(model, epochs_of(x, y, EPOCHS, number), steps, weight_decay=0)
            results.append(is_correct(model, x_test, y_test))
        return torch.stack(results).cpu()

    ours, control = tested(orbits), tested(lambda: nn.Conv2d(channels, FILTERS, kernel))
    advantage, error, p_value = map(float, compare_runs(ours, control))
    detail = Gain(float(ours.double().mean()), float(control.double().mean()), len(x))
    margin = student_margin(error, 2 * (NETWORKS - 1))
    interval = 100 * (advantage - margin), 100 * (advantage + margin)
    return Evidence("network", 100 * advantage, interval, p_value, "kept" if p_value <= LEVEL else "undecided", detail)
