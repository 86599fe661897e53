"""A limit in minutes: the number of samples and the length of the training that fit into it."""

import time
from collections.abc import Sequence

from torch import Tensor

from lgn.discovery.images import gain, label_effects
from lgn.discovery.observers import learn
from lgn.discovery.observers.observer import BATCH, LEAST_SHOWN, number_shown
from lgn.transforms import Family

#: The usual number of observers of a family.
OBSERVERS = 4
#: Lower limits: fewer samples, or less training, would decide nothing.
FEWEST_SAMPLES, LEAST_EFFORT = 2000, 0.25
#: The time of a step with the network of `gain`, relative to a step of an observer.
GAIN_COST = 2
#: The number of steps that are timed.
TIMED_STEPS = 10


def plan(
    minutes: float, families: Sequence[tuple[Family, Tensor]], count: int, effort: float, evidence: Sequence[str]
) -> tuple[int, float]:
    """The number of samples and the effort that fit into a number of minutes.

    A few steps of an observer are timed for every family, with about a hundred samples as its observer sees them. The
    number of samples is reduced first, because the accuracy only grows with its root. Then the effort is reduced.

    count: the number of all samples.
    """
    costs = [(family, _seconds_per_sample(family, samples)) for family, samples in families]
    others = label_effects.MOST_SHOWN * ("labels" in evidence)
    others += GAIN_COST * 2 * gain.NETWORKS * gain.FEW * gain.EPOCHS * ("network" in evidence)

    def seconds(samples: int, effort: float) -> float:
        observers = sum(cost * OBSERVERS * number_shown(family, samples, effort) for family, cost in costs)
        return observers + costs[0][1] * others

    samples = count
    while samples > FEWEST_SAMPLES and seconds(samples, effort) > 60 * minutes:
        samples = max(samples * 3 // 4, FEWEST_SAMPLES)
    while effort > LEAST_EFFORT and seconds(samples, effort) > 60 * minutes:
        effort = max(effort * 3 / 4, LEAST_EFFORT)
    return samples, effort


def _seconds_per_sample(family: Family, samples: Tensor) -> float:
    start = time.perf_counter()
    learn(family, samples, seed=0, effort=TIMED_STEPS * BATCH / LEAST_SHOWN)
    return (time.perf_counter() - start) / (TIMED_STEPS * BATCH)
