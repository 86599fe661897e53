"""Statistics: confidence intervals, p-values, corrections for multiple tests, and random halves of a sample."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Generator, Tensor

#: The significance level of every verdict: the probability of a wrong one when nothing is there to find.
LEVEL = 0.01
#: The confidence of every interval that is printed.
CONFIDENCE = 0.95


def student_quantile(probability: float, freedom: float) -> float:
    """The value t with `P(T <= t) = probability` for Student's t distribution."""
    from scipy.special import stdtrit  # importing scipy.stats takes seconds

    return float(stdtrit(freedom, probability))


def student_p_value(statistic: Tensor | float, freedom: float) -> Tensor:
    """The one-sided p-value `P(T >= statistic)` for Student's t distribution, elementwise, in float64."""
    from scipy.special import stdtr

    statistic = torch.as_tensor(statistic, dtype=torch.float64)
    return torch.as_tensor(stdtr(freedom, -statistic.cpu().numpy()), device=statistic.device)


def student_margin(error: float, freedom: float, confidence: float = CONFIDENCE) -> float:
    """Half the width of Student's two-sided interval for an estimate with the given standard error."""
    return student_quantile((1 + confidence) / 2, freedom) * error


def student_interval(values: Sequence[float] | Tensor, confidence: float = CONFIDENCE) -> tuple[float, float, float]:
    """The mean of independent values and Student's interval `mean +- t s / sqrt(n)`, as (mean, low, high).

    The interval of a single value is NaN.
    """
    mean, variance, count = _moments(values)
    margin = student_margin((variance / count) ** 0.5, max(count - 1, 1), confidence)
    return mean, mean - margin, mean + margin


def welch_interval(
    values: Sequence[float] | Tensor, others: Sequence[float] | Tensor, confidence: float = CONFIDENCE
) -> tuple[float, float, float]:
    """The difference of two means and Welch's interval, as (difference, low, high); variances may be unequal.

    The interval is NaN if either sample has a single value.
    """
    (mean, variance, count), (other_mean, other_variance, other_count) = _moments(values), _moments(others)
    parts = variance / count, other_variance / other_count
    total, difference = sum(parts), mean - other_mean
    if total == 0:
        return difference, difference, difference
    freedom = total**2 / (parts[0] ** 2 / max(count - 1, 1) + parts[1] ** 2 / max(other_count - 1, 1))
    margin = student_margin(total**0.5, freedom, confidence)
    return difference, difference - margin, difference + margin


def clopper_pearson(count: int, total: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The exact two-sided interval for a probability, given `count` successes in `total` trials (Clopper, Pearson)."""
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    low = float(betaincinv(count, total - count + 1, tail)) if count else 0.0
    high = float(betaincinv(count + 1, total - count, 1 - tail)) if count < total else 1.0
    return low, high


def normal_quantile(probability: float) -> float:
    """The value z with `P(Z <= z) = probability` for the standard normal distribution."""
    from scipy.special import ndtri

    return float(ndtri(probability))


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values adjusted by Holm's method, which is valid however the tests depend on each other."""
    adjusted, largest = [1.0] * len(p_values), 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min((len(p_values) - rank) * p_values[place], 1.0))
        adjusted[place] = largest
    return adjusted


def benjamini_hochberg(p_values: Tensor) -> Tensor:
    """P-values adjusted for the false discovery rate: `min_{j >= i} p_(j) T / j` over the sorted ones.  (T,) -> (T,)"""
    count = len(p_values)
    if count == 0:
        return p_values
    order = p_values.argsort()
    scaled = p_values[order] * count / torch.arange(1, count + 1, dtype=p_values.dtype, device=p_values.device)
    adjusted = scaled.flip(0).cummin(0).values.flip(0).clamp(max=1)
    return torch.empty_like(adjusted).scatter(0, order, adjusted)


# Note [Two variances]
# The accuracy of a kind of network is estimated from a few runs on a few images, and both can be lucky. Over runs, the
# variance of the difference of two means is (v_ours + v_control) / seeds; it contains the luck of the seeds, but not
# that the images may suit one kind of network. Over images, it is the variance of the mean difference of an image,
# divided by the number of images; it contains the luck of the images, but not that of the seeds. The larger of the two
# is used, with the degrees of freedom of the runs for Student's t.


class Comparison(NamedTuple):
    """The difference of two mean accuracies, its standard error and its one-sided p-value.  -> (...)"""

    advantage: Tensor
    standard_error: Tensor
    p_value: Tensor


def compare_runs(ours: Tensor, control: Tensor) -> Comparison:
    """Test whether runs of one kind classify more images correctly than runs of another. See Note [Two variances].

    `p = P(T > advantage / standard error)` for Student's t with `2 (seeds - 1)` degrees of freedom.

    Shapes: whether each image was classified correctly, two of (..., seeds, images) -> (...)
    """
    if ours.shape != control.shape or ours.ndim < 2 or min(ours.shape[-2:]) < 2:
        raise ValueError(
            "ours and control must both be (..., seeds, images) with at least 2 seeds and 2 images, "
            f"got {tuple(ours.shape)} and {tuple(control.shape)}"
        )
    ours, control = ours.double(), control.double()
    seeds, images = ours.shape[-2:]
    difference = ours.mean(-2) - control.mean(-2)  # (..., images)
    advantage = difference.mean(-1)
    over_seeds = (ours.mean(-1).var(-1) + control.mean(-1).var(-1)) / seeds
    over_images = difference.var(-1) / images
    error = torch.maximum(over_seeds, over_images).sqrt()
    statistic = torch.where(advantage == 0, advantage, advantage / error)  # 0 / 0 = 0 for equal networks
    return Comparison(advantage, error, student_p_value(statistic, 2 * (seeds - 1)))


def cluster_means(values: Tensor, clusters: Tensor) -> Tensor:
    """The means over samples with equal numbers, in float64.  (..., N), (N,) -> (..., clusters)"""
    _, indices, counts = clusters.unique(return_inverse=True, return_counts=True)
    return values.new_zeros(*values.shape[:-1], len(counts)).double().index_add(-1, indices, values.double()) / counts


def halves(count: int, random: Generator) -> tuple[Tensor, Tensor]:
    """Two disjoint random halves of the indices 0 to `count - 1`."""
    order = torch.randperm(count, generator=random)
    return order[: count // 2], order[count // 2 :]


def stratified_halves(labels: Tensor, random: Generator) -> tuple[Tensor, Tensor]:
    """Two disjoint random halves of the indices of `labels` (N,) with the same classes; single samples are left out."""
    order = torch.randperm(len(labels), generator=random)
    _, numbers, counts = labels.cpu().unique(return_inverse=True, return_counts=True)
    order = order[counts[numbers[order]] > 1]
    order = order[numbers[order].argsort(stable=True)].to(labels.device)
    return order[::2], order[1::2]


def _moments(values: Sequence[float] | Tensor) -> tuple[float, float, int]:
    """The mean, the unbiased variance (NaN for one value) and the number of values."""
    if len(values) == 0:
        raise ValueError("values must have at least one number, got none")
    values = torch.as_tensor(values, dtype=torch.float64)
    variance = float(values.var()) if len(values) > 1 else float("nan")
    return float(values.mean()), variance, len(values)
