"""The verdict on a map: its violation on samples that did not find it, in total and in every direction."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from torch import Tensor

from lgn.answer import Verdict
from lgn.discovery.moments.block_products import Blocks, block_statistic, generic_violation, products_by_direction
from lgn.discovery.moments.tensors import rotate
from lgn.stats import student_quantile

#: The largest violation of a kept map: relative to a map with the same eigenvalues at a random place, and of any
#: direction.
SHARE, DIRECTION = 0.05, 0.1
#: A map that certainly violates more than this is broken.
NEARLY, NEARLY_THERE = 0.01, 0.03

# Note [Every direction]
# A map that is right except for the sign of one weak direction violates little in total: on MNIST with 20 directions,
# 0.05 of a map at a random place. In that direction it is wrong. So the violation is split by the first index of the
# tensor, in the eigenbasis of M = sum_kl T_ikl T_jkl, which commutes with all symmetries, and the bound must hold for
# every direction. A direction with weak moments leaves the map undecided, never kept.


class Trial(NamedTuple):
    """A map that one half of the samples found, and moments of the other half; `target` has the classes permuted."""

    matrix: Tensor  # (r, r)
    blocks: Blocks  # by degree (B, classes, r, ..., r)
    target: Blocks


@dataclass(frozen=True)
class Judgement:
    """How well a map preserves moments of samples that did not find it."""

    #: `|O . T - T|^2 / (4 |T|^2)`, unbiased: 0 for a symmetry, 1/2 for unrelated tensors.
    violation: float
    #: Its standard error, and half the width of its interval.
    noise: float
    margin: float
    #: The violation relative to a map with the same eigenvalues at a random place, of the degree where it is largest.
    share: float
    #: The largest violation of any direction.
    worst_direction: float
    #: The upper bound of the share.
    at_most: float
    verdict: Verdict
    #: The factor by which samples must grow to decide, if the map is a symmetry.
    more: float


class _Part(NamedTuple):
    """Products of blocks of a violation, and of the moments that it is compared with."""

    difference: Tensor  # (B, B)
    content: Tensor  # (B, B)
    allowed: float
    nearly: float


class _Test(NamedTuple):
    ratio: float
    noise: float
    #: The upper bound of the violation minus the allowed violation.
    upper: float
    #: The lower bound of the violation minus the nearly vanishing violation.
    lower: float
    more: float
    at_most: float
    allowed: float


def judge(trials: Sequence[Trial], level: float) -> Judgement:
    """Judge a map by one trial, or by two: one for each half of the samples.

    The directions of both trials must be the same. Their statistics are averaged, with independent errors.
    """
    parts = [_parts(trial) for trial in trials]
    bound = student_quantile(1 - level, len(parts[0][0].difference) - 1)
    whole, *tests = (_test(same, bound) for same in zip(*parts, strict=True))
    broken = any(test.lower > 0 for test in tests)
    kept = not broken and all(test.upper < 0 for test in tests)
    return Judgement(
        violation=whole.ratio,
        noise=whole.noise,
        margin=bound * whole.noise,
        share=max(test.ratio for test in tests if test.allowed == SHARE),
        worst_direction=max(test.ratio for test in tests if test.allowed == DIRECTION),
        at_most=max(test.at_most for test in tests if test.allowed == SHARE),
        verdict="kept" if kept else "broken" if broken else "undecided",
        more=1.0 if kept or broken else max(test.more for test in tests),
    )


def _parts(trial: Trial) -> list[_Part]:
    """The whole violation, then that of every degree, then that of every direction."""
    # Third and fourth moments are many more numbers than a map has; lower ones count only if there are no others.
    decisive = [degree for degree in trial.blocks if degree > 2] or list(trial.blocks)
    degrees, directions = [], []
    for degree, source in trial.blocks.items():
        difference = products_by_direction(rotate(trial.matrix, source, degree) - trial.target[degree])
        content = 4 * products_by_direction(trial.target[degree])
        expected = max(generic_violation(trial.matrix, degree), 1e-6)
        degrees.append(_Part(difference.sum(0), expected * content.sum(0), SHARE, NEARLY))
        if degree in decisive:
            directions.append((difference, content))
    moved, whole = (sum(parts[1:], start=parts[0]) for parts in zip(*directions, strict=True))
    total = _Part(moved.sum(0), whole.sum(0), 1.0, 1.0)
    return [total, *degrees, *(_Part(one, two, DIRECTION, NEARLY_THERE) for one, two in zip(moved, whole, strict=True))]


def _test(parts: Sequence[_Part], bound: float) -> _Test:
    allowed, nearly = parts[0].allowed, parts[0].nearly
    top, noise = _mean([part.difference for part in parts])
    content, _ = _mean([part.content for part in parts])
    excess, error = _mean([part.difference - allowed * part.content for part in parts])
    certain, scatter = _mean([part.difference - nearly * part.content for part in parts])
    upper, lower, room = excess + bound * error, certain - bound * scatter, allowed * content
    if content <= 0:
        return _Test(math.inf, math.inf, math.inf, lower, math.inf, math.inf, allowed)
    # For a symmetry, everything except the room falls as one over the number of samples.
    return _Test(top / content, noise / content, upper, lower, (upper + room) / room, (upper + room) / content, allowed)


def _mean(products: Sequence[Tensor]) -> tuple[float, float]:
    statistics = [block_statistic(product) for product in products]
    mean = sum(float(value) for value, _ in statistics) / len(statistics)
    return mean, math.sqrt(sum(float(error) ** 2 for _, error in statistics)) / len(statistics)
