"""The verdict on a map: its violation on samples that did not find it, in total and in every direction."""

import math
from dataclasses import dataclass
from typing import Literal

from torch import Tensor

from lgn.discovery.moments.significance import (
    Blocks,
    block_statistic,
    generic_violation,
    products_by_direction,
    quantile,
)
from lgn.discovery.moments.tensors import rotate

Verdict = Literal["kept", "undecided", "broken"]

#: What "kept" leaves at most: of what a map with the same eigenvalues violates at random, and of any direction's content.
SHARE, DIRECTION = 0.05, 0.1
#: What is certainly violated by more than this is broken, however little it is.
NEARLY, NEARLY_THERE = 0.01, 0.03
LEVEL = 0.005  # how often any map of a search may be called kept and not be

# Note [Every direction]
# A map that is right but for the sign of one weak direction violates little in total: 0.05 of what a map placed at
# random does, on MNIST with 20 directions. In that direction it is wrong altogether. So violations are taken apart by
# the first index of the tensor, in the eigenbasis of M = sum_kl T_ikl T_jkl (which symmetries commute with), and the
# bound must hold for each: a direction whose moments say nothing leaves the map undecided, never kept.


@dataclass(frozen=True)
class Judgement:
    """How well a map keeps moments that did not find it, and whether that is decided."""

    #: `|O . T - T|^2 / (4 |T|^2)`, unbiased: 0 for a symmetry, 1/2 for unrelated tensors; and its standard error.
    violation: float
    noise: float
    #: The violation over that of a map with the same eigenvalues placed at random, and the upper bound of it.
    share: float
    share_bound: float
    #: The largest violation of any direction, and the largest upper bound.
    worst_direction: float
    direction_bound: float
    verdict: Verdict
    #: By what factor samples must grow to decide, if the map is a symmetry: 1 where it is decided.
    more: float


def judge(matrix: Tensor, blocks: Blocks, level: float, target: Blocks | None = None) -> Judgement:
    """Judge a map by blocks of moments; with `target`, of other classes than its own.

    Shapes: matrix (r, r), blocks by degree (B, classes, r, ..., r)
    """
    target = blocks if target is None else target
    count = next(iter(blocks.values())).shape[0]
    bound = quantile(level, count)
    # Third and fourth moments are many more than a map has numbers; means and covariances count where they are alone.
    decisive = [degree for degree in blocks if degree > 2] or list(blocks)
    moved, whole, shares, tests = None, None, [], []
    for degree, source in blocks.items():
        difference = products_by_direction(rotate(matrix, source, degree) - target[degree])
        content = products_by_direction(target[degree])
        expected = 4 * max(generic_violation(matrix, degree), 1e-6)
        shares.append(_ratio(difference.sum(0), expected * content.sum(0), bound))
        tests.append(_test(difference.sum(0), expected * content.sum(0), SHARE, NEARLY, bound))
        if degree in decisive:
            moved = difference if moved is None else moved + difference
            whole = content if whole is None else whole + content
    assert moved is not None
    assert whole is not None
    violation, noise = block_statistic(moved.sum(0))
    size = 4 * max(float(block_statistic(whole.sum(0))[0]), 1e-12)
    for difference, content in zip(moved, whole, strict=True):
        tests.append(_test(difference, 4 * content, DIRECTION, NEARLY_THERE, bound))
    directions = [_ratio(difference, 4 * content, bound) for difference, content in zip(moved, whole, strict=True)]
    share, worst = (max(some) for some in (shares, directions))
    broken = any(test[1] > 0 for test in tests)
    kept = not broken and all(test[0] < 0 for test in tests)
    return Judgement(
        float(violation) / size,
        float(noise) / size,
        share[0],
        max(each[1] for each in shares),
        worst[0],
        max(each[1] for each in directions),
        "kept" if kept else "broken" if broken else "undecided",
        1.0 if kept or broken else max(test[2] for test in tests),
    )


def _ratio(difference: Tensor, content: Tensor, bound: float) -> tuple[float, float]:
    """The ratio of two squares, and its upper bound; infinite where there is nothing to compare with."""
    (top, error), (below, _) = block_statistic(difference), block_statistic(content)
    if below <= 0:
        return math.inf, math.inf
    return float(top / below), float((top + bound * error) / below)


def _test(
    difference: Tensor, content: Tensor, allowed: float, nearly: float, bound: float
) -> tuple[float, float, float]:
    """Upper bound of what is violated beyond what is allowed, lower bound beyond what is nearly nothing, and the growth
    of samples that would decide.
    """
    excess, error = block_statistic(difference - allowed * content)
    certain, scatter = block_statistic(difference - nearly * content)
    room = allowed * float(block_statistic(content)[0])
    upper, lower = float(excess + bound * error), float(certain - bound * scatter)
    # If it is a symmetry, all but the room falls as one over the number of samples.
    return upper, lower, (upper + room) / room if room > 0 else math.inf
