"""A budget of minutes: how many images, and how long observers are trained, so that the answer is there in time."""

import time
from collections.abc import Callable, Sequence

from torch import Tensor

from lgn.discovery.images import gain, labels
from lgn.discovery.images.family import Family
from lgn.discovery.images.observer import BATCH, LEAST, learn, visits

#: Observers that a family takes as a rule: one of all, one of what is near, one or more of a break of the margin.
OBSERVERS = 4
#: What is not gone below: fewer images, or less training, would decide nothing.
FEWEST_IMAGES, LEAST_EFFORT = 2000, 0.25
#: What a visit of a network that may gain takes of what an observer's does.
OF_A_VISIT = 2


def planned(
    minutes: float, families: Sequence[tuple[Family, Tensor]], count: int, effort: float, asked: Sequence[str]
) -> tuple[int, float]:
    """How many images to look at and with how much effort.

    families: each with a hundred images or so as its observer sees them. Few steps of an observer are timed; what all
    would take is compared with the budget. Images are given up first, for what is learned grows with the root of their
    number; then effort; stages that are too late then are not begun (`ask`).
    """

    def seconds(images: int, with_effort: float) -> float:
        observers = sum(cost * OBSERVERS * visits(family, images, with_effort) for (family, _), cost in costs)
        rest = labels.VISITS * ("labels" in asked) + OF_A_VISIT * 2 * gain.NETWORKS * gain.FEW * gain.EPOCHS * (
            "network" in asked
        )
        return observers + costs[0][1] * rest

    costs = [(each, _seconds_of_a_visit(*each)) for each in families]
    images = count
    while images > FEWEST_IMAGES and seconds(images, effort) > 60 * minutes:
        images = max(images * 3 // 4, FEWEST_IMAGES)
    while effort > LEAST_EFFORT and seconds(images, effort) > 60 * minutes:
        effort = max(effort * 3 / 4, LEAST_EFFORT)
    return images, effort


def given_up(minutes: float, before: tuple[int, float], after: tuple[int, float]) -> list[str]:
    """What a plan gives up, in a sentence; none where it is nothing."""
    words = []
    if after[0] < before[0]:
        words.append(f"{after[0]:,} of {before[0]:,} images were looked at")
    if after[1] < before[1]:
        words.append(f"observers were trained {after[1] / before[1]:.0%} as long")
    unit = "minute" if minutes == 1 else "minutes"
    return [f"To be ready in {minutes:g} {unit}, {' and '.join(words)}."] if words else []


def _seconds_of_a_visit(family: Family, images: Tensor, clock: Callable[[], float] = time.perf_counter) -> float:
    steps = 10
    began = clock()
    learn(family, images, seed=0, effort=steps * BATCH / LEAST)
    return (clock() - began) / (steps * BATCH)
