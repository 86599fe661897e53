"""The verdict on a map, from its violation on samples that did not find it, in total and in every direction."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from lgn.answer import Verdict
from lgn.discovery.moments.tensors import (
    BLOCKS,
    Blocks,
    Classes,
    block_statistic,
    generic_violation,
    permuted,
    products_by_direction,
    rotate,
)
from lgn.stats import student_quantile

#: The largest violation of a kept map: relative to a random map with the same eigenvalues, and of any direction. A
#: map that certainly violates more than the second pair is broken.
SHARE, DIRECTION = 0.05, 0.1
BROKEN_SHARE, BROKEN_DIRECTION = 0.01, 0.03

# Note [Every direction]
# A map with a wrong sign of one weak direction violates little in total: on MNIST with 20 directions, 0.05 of a random
# map. So the bound must also hold for every value of the first index of the tensor, in the eigenbasis of
# M = sum_kl T_ikl T_jkl, which commutes with all symmetries. A direction with weak moments leaves the map undecided.

#: A map that one half of the samples found (r, r), the moments of the other half, and the permutation of the classes.
Trial = tuple[Tensor, Blocks, Classes | None]
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
    #: The violation relative to a random map with the same eigenvalues, for the degree where it is largest, and its
    #: upper bound.
    share: float
    at_most: float
    #: The largest violation in any direction.
    worst_direction: float | None
    verdict: Verdict
    #: The factor by which samples must grow to decide, if the map is a symmetry.
    more: float


@dataclass(frozen=True, eq=False)
class Element:
    """An element of the symmetry group, or of its Lie algebra, on the whitened directions."""

    inner: Tensor  # (r, r): orthogonal, or skew and of norm 1
    judgement: Judgement
    #: The permutation of the classes; None without labels.
    classes: Classes | None = None
    #: The smallest q with `A^q` near I.
    period: int | None = None
    #: Half the relative difference of the solutions of both halves; None in the algebra.
    error: float | None = None
    #: The eigenvalue of an element of the algebra over the first eigenvalue that is not zero.
    ratio: float = 1.0

    @property
    def verdict(self) -> Verdict:
        """Kept or undecided."""
        return self.judgement.verdict

    def undecided(self) -> "Element":
        """The same element without a decision."""
        return replace(self, judgement=replace(self.judgement, verdict="undecided", more=math.inf))


def kept_maps(elements: Sequence[Element]) -> list[Tensor]:
    """The matrices of the kept elements, (r, r) each."""
    return [element.inner for element in elements if element.verdict == "kept"]


def judge(trials: Sequence[Trial], level: float) -> Judgement:
    """Judge a map by one trial, or by two: one for each half of the samples, with the same directions."""
    degrees, r = len(trials[0][1]), len(trials[0][0])
    allowed = [1.0] + [SHARE] * degrees + [DIRECTION] * r
    nearly = [1.0] + [BROKEN_SHARE] * degrees + [BROKEN_DIRECTION] * r
    products = [_products(matrix, blocks, permuted(blocks, classes, axis=1)) for matrix, blocks, classes in trials]
    return decide(products, allowed, nearly, degrees, level)


def decide(
    products: Sequence[Products], allowed: Sequence[float], nearly: Sequence[float], degrees: int, level: float
) -> Judgement:
    """Compare violations with the allowed and the nearly vanishing shares of their contents.

    The first test is only reported. Tests of degrees follow, then tests of directions. The statistics of the halves are
    averaged.
    """
    most, least = (torch.tensor(shares, dtype=torch.float64) for shares in (allowed, nearly))
    bound = student_quantile(1 - level, BLOCKS - 1)
    top, noise = _mean([difference for difference, _ in products])
    content, _ = _mean([content for _, content in products])
    excess, error = _mean([difference - most[:, None, None] * content for difference, content in products])
    certain, scatter = _mean([difference - least[:, None, None] * content for difference, content in products])
    upper, room = excess + bound * error, most * content
    # For a symmetry, all terms except the room fall as one over the number of samples.
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
    # Third and fourth moments are many more numbers than a map has. Lower ones count only if there are no others.
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
