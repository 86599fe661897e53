"""The verdict on a map: its violation on samples that did not find it, in total and in every direction."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from torch import Tensor

from lgn.discovery.moments.significance import (
    Blocks,
    block_statistic,
    generic_violation,
    products_by_direction,
)
from lgn.discovery.moments.tensors import rotate
from lgn.stats import student_quantile

Verdict = Literal["kept", "undecided", "broken"]

#: What "kept" leaves at most: of what a map with the same eigenvalues violates at random, and in any direction.
SHARE, DIRECTION = 0.05, 0.1
#: What is certainly violated by more than this is broken, however little it is.
NEARLY, NEARLY_THERE = 0.01, 0.03
LEVEL = 0.005  # how often any map of a search may be called kept and not be

# Note [Every direction]
# A map that is right but for the sign of one weak direction violates little in total: 0.05 of what a map placed at
# random does, on MNIST with 20 directions. In that direction it is wrong altogether. So violations are taken apart by
# the first index of the tensor, in the eigenbasis of M = sum_kl T_ikl T_jkl (which symmetries commute with), and the
# bound must hold for each: a direction whose moments say nothing leaves the map undecided, never kept.


class Fold(NamedTuple):
    """A map that some samples found, and the moments of others by blocks; `target` where classes go to others."""

    matrix: Tensor  # (r, r)
    blocks: Blocks  # by degree (B, classes, r, ..., r)
    target: Blocks


@dataclass(frozen=True)
class Judgement:
    """How well a map keeps moments that did not find it, and whether that is decided."""

    #: `|O . T - T|^2 / (4 |T|^2)`, unbiased: 0 for a symmetry, 1/2 for unrelated tensors; and its standard error.
    violation: float
    noise: float
    #: The violation over that of a map with the same eigenvalues placed at random, of the degree where it is largest.
    share: float
    #: The largest violation of any direction.
    worst_direction: float
    #: The upper bound of the share.
    at_most: float
    verdict: Verdict
    #: By what factor samples must grow to decide, if the map is a symmetry: 1 where it is decided.
    more: float


class _Parts(NamedTuple):
    """Products of blocks, `<D_b, D_c>` and what they are compared with, as (B, B) matrices."""

    difference: Tensor
    content: Tensor
    allowed: float
    nearly: float


def judge(folds: Sequence[Fold], level: float) -> Judgement:
    """Judge a map by one fold, or by two: found on each half of the samples and judged on the other.

    The folds' directions must be the same; their statistics are averaged, and have errors of their own.
    """
    parts = [_parts(fold) for fold in folds]
    bound = student_quantile(1 - level, len(parts[0][0].difference) - 1)
    tests = [_test(each, bound) for each in zip(*parts, strict=True)]
    whole, by_degree = tests[0], [test for test in tests[1:] if test.allowed == SHARE]
    broken = any(test.lower > 0 for test in tests[1:])
    kept = not broken and all(test.upper < 0 for test in tests[1:])
    return Judgement(
        whole.ratio,
        whole.noise,
        max(test.ratio for test in by_degree),
        max(test.ratio for test in tests[1:] if test.allowed == DIRECTION),
        max(test.at_most for test in by_degree),
        "kept" if kept else "broken" if broken else "undecided",
        1.0 if kept or broken else max(test.more for test in tests[1:]),
    )


def _parts(fold: Fold) -> list[_Parts]:
    """In total, then for every degree, then for every direction."""
    # Third and fourth moments are many more than a map has numbers; means and covariances count where they are alone.
    decisive = [degree for degree in fold.blocks if degree > 2] or list(fold.blocks)
    degrees, directions = [], []
    for degree, source in fold.blocks.items():
        difference = products_by_direction(rotate(fold.matrix, source, degree) - fold.target[degree])
        content = 4 * products_by_direction(fold.target[degree])
        expected = max(generic_violation(fold.matrix, degree), 1e-6)
        degrees.append(_Parts(difference.sum(0), expected * content.sum(0), SHARE, NEARLY))
        if degree in decisive:
            directions.append((difference, content))
    moved, whole = (sum(each[place] for each in directions) for place in (0, 1))
    assert isinstance(moved, Tensor)
    assert isinstance(whole, Tensor)
    total = _Parts(moved.sum(0), whole.sum(0), 1.0, 1.0)
    apart = [_Parts(one, other, DIRECTION, NEARLY_THERE) for one, other in zip(moved, whole, strict=True)]
    return [total, *degrees, *apart]


class _Test(NamedTuple):
    ratio: float
    noise: float
    upper: float  # bound of what is violated beyond what is allowed
    lower: float  # bound of what is violated beyond what is nearly nothing
    more: float  # the growth of samples that would decide
    at_most: float  # bound of the ratio
    allowed: float


def _test(folds: Sequence[_Parts], bound: float) -> _Test:
    allowed, nearly = folds[0].allowed, folds[0].nearly
    top, noise = _mean([each.difference for each in folds])
    content, _ = _mean([each.content for each in folds])
    excess, error = _mean([each.difference - allowed * each.content for each in folds])
    certain, scatter = _mean([each.difference - nearly * each.content for each in folds])
    upper, lower, room = excess + bound * error, certain - bound * scatter, allowed * content
    if content <= 0:
        return _Test(math.inf, math.inf, math.inf, lower, math.inf, math.inf, allowed)
    # If it is a symmetry, all but the room falls as one over the number of samples.
    return _Test(top / content, noise / content, upper, lower, (upper + room) / room, (upper + room) / content, allowed)


def _mean(products: Sequence[Tensor]) -> tuple[float, float]:
    statistics = [block_statistic(each) for each in products]
    mean = sum(float(value) for value, _ in statistics) / len(statistics)
    return mean, math.sqrt(sum(float(error) ** 2 for _, error in statistics)) / len(statistics)
