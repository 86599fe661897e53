"""The verdict on a map, from its violation on samples that did not find it, in total and in every direction."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from lgn.answer import Verdict
from lgn.discovery.moments.tensors import (
    BLOCKS,
    Blocks,
    block_statistic,
    generic_violation,
    products_by_direction,
    rotate,
)
from lgn.stats import student_quantile

#: The largest violation of a kept map: relative to a random map with the same eigenvalues, and of any direction. A
#: map that certainly violates more than the second pair is broken.
SHARE, DIRECTION = 0.05, 0.1
BROKEN_SHARE, BROKEN_DIRECTION = 0.01, 0.03

# Note [Every direction]
# A map that is right except for the sign of one weak direction violates little in total: on MNIST with 20 directions,
# 0.05 of a random map. In that direction it is wrong. So the violation is split by the first index of the
# tensor, in the eigenbasis of M = sum_kl T_ikl T_jkl, which commutes with all symmetries, and the bound must hold for
# every direction. A direction with weak moments leaves the map undecided, never kept.

#: A map that one half of the samples found (r, r), the moments of the other half, and the moments that they must
#: become: the same, or those of permuted classes.
Trial = tuple[Tensor, Blocks, Blocks]
#: Products of blocks of violations, and of the moments that they are compared with, (tests, B, B) each.
Products = tuple[Tensor, Tensor]


@dataclass(frozen=True)
class Judgement:
    """The violation of moments by a map, on samples that did not find it, and the verdict."""

    #: `|O . T - T|^2 / (4 |T|^2)`, unbiased: 0 for a symmetry, 1/2 for unrelated tensors.
    violation: float
    #: Its standard error, and half the width of its interval.
    noise: float
    margin: float
    #: The violation relative to a random map with the same eigenvalues, for the degree where it is largest.
    share: float
    #: The upper bound of the share.
    at_most: float
    #: The largest violation in any direction.
    worst_direction: float | None
    verdict: Verdict
    #: The factor by which samples must grow to decide, if the map is a symmetry.
    more: float


def judge(trials: Sequence[Trial], level: float) -> Judgement:
    """Judge a map by one trial, or by two: one for each half of the samples, with the same directions."""
    degrees, r = len(trials[0][1]), len(trials[0][0])
    allowed = [1.0] + [SHARE] * degrees + [DIRECTION] * r
    nearly = [1.0] + [BROKEN_SHARE] * degrees + [BROKEN_DIRECTION] * r
    return decide([_products(*trial) for trial in trials], allowed, nearly, degrees, level)


def decide(
    products: Sequence[Products], allowed: Sequence[float], nearly: Sequence[float], degrees: int, level: float
) -> Judgement:
    """Compare violations with allowed and with nearly vanishing shares of their contents.

    The first test is only reported; tests of degrees follow, then tests of directions. The statistics of all products
    are averaged, with independent errors.
    """
    most, least = (torch.tensor(shares, dtype=torch.float64) for shares in (allowed, nearly))
    bound = student_quantile(1 - level, BLOCKS - 1)
    top, noise = _mean([difference for difference, _ in products])
    content, _ = _mean([content for _, content in products])
    excess, error = _mean([difference - most[:, None, None] * content for difference, content in products])
    certain, scatter = _mean([difference - least[:, None, None] * content for difference, content in products])
    upper, room = excess + bound * error, most * content
    # For a symmetry, everything except the room falls as one over the number of samples.
    values = (top / content, noise / content, upper, (upper + room) / room, (upper + room) / content)
    ratio, noise, upper, more, at_most = (torch.where(content > 0, value, math.inf) for value in values)
    broken = bool((certain - bound * scatter)[1:].max() > 0)
    kept = not broken and bool(upper[1:].max() < 0)
    by_degree, by_direction = slice(1, degrees + 1), ratio[degrees + 1 :].tolist()
    return Judgement(
        violation=float(ratio[0]),
        noise=float(noise[0]),
        margin=bound * float(noise[0]),
        share=float(ratio[by_degree].max()),
        at_most=float(at_most[by_degree].max()),
        worst_direction=max(by_direction, default=None),
        verdict="kept" if kept else "broken" if broken else "undecided",
        more=1.0 if kept or broken else float(more[1:].max()),
    )


def _products(matrix: Tensor, blocks: Blocks, target: Blocks) -> Products:
    """The products of the whole violation, then of every degree, then of every direction."""
    # Third and fourth moments are many more numbers than a map has; lower ones count only if there are no others.
    decisive = [degree for degree in blocks if degree > 2] or list(blocks)
    moved = {n: products_by_direction(rotate(matrix, tensor, n) - target[n]) for n, tensor in blocks.items()}
    whole = {n: 4 * products_by_direction(target[n]) for n in blocks}
    expected = {n: max(generic_violation(matrix, n), 1e-6) for n in blocks}
    difference, content = (torch.stack([part[n] for n in decisive]).sum(0) for part in (moved, whole))
    return (
        torch.cat([torch.stack([difference.sum(0), *(moved[n].sum(0) for n in blocks)]), difference]),
        torch.cat([torch.stack([content.sum(0), *(expected[n] * whole[n].sum(0) for n in blocks)]), content]),
    )


def _mean(products: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    means, errors = zip(*map(block_statistic, products), strict=True)
    return torch.stack(means).mean(0), torch.stack(errors).square().sum(0).sqrt() / len(errors)
