"""Evidence from labels without any candidate: the affine map that generates the filters of a trained network."""

from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.discovery.filters.start_search import Search, search_starts
from lgn.discovery.observers import shrink
from lgn.fitting import BATCH, RATE, Labelled, epochs_of, fit, initial_seed, is_correct
from lgn.generators import Affine, generators_of, parameter_groups
from lgn.nn import GroupConv2d, pool_sets
from lgn.penalties import Penalty
from lgn.transforms import operator

SETS, ORDER, KERNEL, SIDE = 24, 4, 9, 14
#: The number of starting rotations, of training images, and of images that a network is shown in all epochs.
STARTS, IMAGES, SHOWN = 8, 6000, 18_000


class SetPoolClassifier(nn.Module):
    """A group layer, the largest response of each set, its mean and maximum over the image, and a linear head.

    Shapes: (N, C, H, W) -> (N, classes)
    """

    def __init__(self, convolution: nn.Module, classes: int = 10) -> None:
        super().__init__()
        self.convolution = convolution
        self.norm = nn.BatchNorm2d(SETS)
        self.head = nn.Linear(2 * SETS, classes)

    def forward(self, images: Tensor) -> Tensor:
        codes = F.relu(self.norm(pool_sets(self.convolution(images), group=ORDER)))
        return self.head(torch.cat([codes.mean((2, 3)), codes.amax((2, 3))], 1))


def search_affine(training: Labelled, test: Labelled, classes: int, seed: int, starts: int = STARTS) -> Search:
    """`search_starts` over the starting rotations of the map.

    Shapes: images (N, C, H, W) and labels (N,)
    """
    x, y = _small(training)
    x_test, y_test = _small(test)
    shape = x.shape[1], classes, min(KERNEL, *x.shape[-2:])
    return search_starts(
        {f"{angle:.1f}": partial(affine_classifier, angle, shape=shape) for angle in starting_angles(starts, seed)},
        partial(free_classifier, shape=shape),
        lambda model, number: train(model, x, y, max(round(SHOWN / len(x)), 1), number),
        partial(is_correct, x=x_test, y=y_test),
        seed=seed,
    )


def _small(samples: Labelled) -> Labelled:
    """Images of at most SIDE x SIDE pixels and their labels."""
    return shrink(samples[0], SIDE), samples[1].to(samples[0].device)


def train(
    model: nn.Module,
    x: Tensor,
    y: Tensor,
    epochs: int,
    seed: int,
    *,
    penalty: Penalty | None = None,
    factor: float | None = None,
) -> None:
    """Train a model in place.

    factor: the learning rate of its generators relative to that of the network; by default their own factor.
    """
    model.to(x.device)
    if factor is None:
        factor = max((generator.learning_rate for generator in generators_of(model).values()), default=1.0)
    groups = parameter_groups(model, RATE, factor)
    if penalty is not None and (parameters := list(penalty.parameters())):
        groups.append({"params": parameters, "lr": RATE})
    steps = epochs * -(-len(x) // BATCH)
    fit(model, epochs_of(x, y, epochs, seed), steps, parameters=groups, weight_decay=0, penalty=penalty)


def affine_generator(model: nn.Module) -> Affine:
    """The affine generator of a network."""
    (generator,) = generators_of(model).values()
    assert isinstance(generator, Affine)
    return generator


def starting_angles(count: int, seed: int) -> list[float]:
    """Evenly spread angles, rotated by the seed; eight angles are at least 10 degrees from multiples of 90."""
    offset = (-10, -5, 0, 5, 10)[seed % 5]
    return [((number + 0.5) * 360 / count + offset + 180) % 360 - 180 for number in range(count)]


Shape = tuple[int, int, int]  # channels, classes, kernel size
GREY: Shape = (1, 10, KERNEL)


def free_classifier(seed: int, shape: Shape = GREY) -> SetPoolClassifier:
    """The control: as many free filters, pooled in the same way."""
    channels, classes, kernel = shape
    with initial_seed(seed):
        return SetPoolClassifier(nn.Conv2d(channels, SETS * ORDER, kernel), classes)


def affine_classifier(degrees: float, seed: int, shape: Shape = GREY) -> SetPoolClassifier:
    """A network with one affine generator for the whole layer, which starts as a rotation."""
    channels, classes, kernel = shape
    start = operator("rotation", (kernel, kernel), degrees=degrees, mode="bilinear")
    options = {"group": ORDER, "bias": "set", "generator": "affine", "share": "layer", "start": start}
    with initial_seed(seed):
        return SetPoolClassifier(GroupConv2d(channels, SETS, kernel, **options), classes)  # type: ignore[arg-type]
