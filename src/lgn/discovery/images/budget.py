"""A limit in minutes: the number of samples and the length of the training that fit into it."""

import time
from collections.abc import Callable, Sequence

from torch import Tensor

from lgn.discovery.images import gain, label_effects
from lgn.discovery.observers import learn
from lgn.discovery.observers.observer import BATCH, LEAST, visits
from lgn.transforms import Family

#: The usual number of observers of a family.
OBSERVERS = 4
#: Lower limits: fewer samples, or less training, would decide nothing.
FEWEST_SAMPLES, LEAST_EFFORT = 2000, 0.25
#: The cost of showing an image to a network that may gain, relative to an observer.
OF_A_VISIT = 2


def planned(
    minutes: float, families: Sequence[tuple[Family, Tensor]], count: int, effort: float, evidence: Sequence[str]
) -> tuple[int, float]:
    """The number of samples and the effort that fit into a number of minutes.

    A few steps of an observer are timed for every family, with about a hundred samples as its observer sees them. The
    number of samples is reduced first, because accuracy grows with its root only; then the effort.
    """
    costs = [(family, _seconds_of_a_visit(family, samples)) for family, samples in families]
    others = label_effects.VISITS * ("labels" in evidence)
    others += OF_A_VISIT * 2 * gain.NETWORKS * gain.FEW * gain.EPOCHS * ("network" in evidence)

    def seconds(samples: int, effort: float) -> float:
        observers = sum(cost * OBSERVERS * visits(family, samples, effort) for family, cost in costs)
        return observers + costs[0][1] * others

    samples = count
    while samples > FEWEST_SAMPLES and seconds(samples, effort) > 60 * minutes:
        samples = max(samples * 3 // 4, FEWEST_SAMPLES)
    while effort > LEAST_EFFORT and seconds(samples, effort) > 60 * minutes:
        effort = max(effort * 3 / 4, LEAST_EFFORT)
    return samples, effort


def _seconds_of_a_visit(family: Family, samples: Tensor, clock: Callable[[], float] = time.perf_counter) -> float:
    steps = 10
    began = clock()
    learn(family, samples, seed=0, effort=steps * BATCH / LEAST)
    return (clock() - began) / (steps * BATCH)
