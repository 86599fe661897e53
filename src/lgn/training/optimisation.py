"""The penalty, the learning rates, the weight decay and the momentum of batch normalisation of a training."""

import math
from typing import Any

from torch import nn

from lgn.generators import generators_of
from lgn.penalties import PENALTIES, AuxiliaryInverse, Penalty
from lgn.training.config import Config

HALVED_AT = (0.5, 0.75, 0.875)  # fractions of the training after which the learning rate is halved (app. C)
# The one-cycle schedule rises for this fraction of the training; it begins and ends at this fraction of the maximum.
RISING, LOWEST = 0.2, 1e-3
# Gates are trained after this fraction of the training (Note [Gates] in `lgn.nn.gates`).
GATES_BEGIN = 0.4


# Note [First statistics]
# Batch normalisation evaluates with running statistics that start at mean 0 and variance 1 and forget a tenth of their
# value in each step. The codes of the first layer have a variance of 1e-4, since its step size is 0.01. After the 10
# steps of an epoch of 1,200 images, 0.9^10 = 35 % of the initial 1 is left, thousands of times the true variance. With
# the statistics of the batches 91 % of the test images were classified correctly, with the running ones 16 %. Therefore
# the first ten batches count equally, with a momentum of 1, 1/2, 1/3, ... down to the usual 0.1 (89 %). Running
# statistics do not influence the weights. With at least LONG_EPOCH steps per epoch, 0.9^200 = 7e-10 of the initial
# value is left at the first evaluation, and the momentum is not changed.
LONG_EPOCH = 200


def build_penalty(config: Config, model: nn.Module) -> Penalty | None:
    """The penalty of a config; None if no generator is trained."""
    if config.penalty == "none" or not generator_rate(config):
        return None
    kind = PENALTIES[config.penalty]
    options = {"start": config.penalty_start} if kind is AuxiliaryInverse else {}
    return kind(model, config.penalty_weight, **options)


def learning_rate(config: Config, done: float) -> float:
    """The learning rate after a fraction of the training."""
    if config.schedule == "one-cycle":
        up = done / RISING if done < RISING else (1 - done) / (1 - RISING)
        return config.learning_rate * (LOWEST + (1 - LOWEST) * (1 - math.cos(math.pi * up)) / 2)
    return config.learning_rate * 0.5 ** sum(done >= mark for mark in HALVED_AT)


def generator_rate(config: Config) -> float:
    """The learning rate of the generators divided by that of the network: 0 if they are not trained."""
    family = config.network.family
    if config.freeze_filters or family is None or not family.learning_rate:
        return 0.0
    return family.learning_rate if config.generator_rate is None else config.generator_rate


def with_decay(groups: list[dict[str, Any]], weight_decay: float, model: nn.Module) -> list[dict[str, Any]]:
    """The parameter groups of an optimiser, divided into parameters with and without weight decay.

    Filters and the head decay. Thresholds, scales and shifts do not. Generators do not either: decay would move them
    to 0, which is not invertible.
    """
    if not weight_decay:
        return groups
    of_generators = {id(p) for generator in generators_of(model).values() for p in generator.parameters()}
    decaying = {id(p) for p in model.parameters() if p.ndim > 1} - of_generators
    return [
        {**group, "params": selected, "weight_decay": weight_decay if decays else 0.0}
        for group in groups
        for decays in (True, False)
        if (selected := [p for p in group["params"] if (id(p) in decaying) == decays])
    ]


def set_momentum(model: nn.Module, steps: int) -> None:
    """Set the momentum of the batch normalisation after a number of steps: `max(0.1, 1 / (steps + 1))`.

    See Note [First statistics].
    """
    for norm in model.modules():
        if isinstance(norm, nn.BatchNorm2d):
            norm.momentum = max(0.1, 1 / (1 + steps))
