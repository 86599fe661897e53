"""`Evidence` for or against a transformation, from data, labels, moments, a law or a network, and its details."""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["kept", "broken", "undecided"]
Kind = Literal["data", "labels", "moments", "copies", "balance", "law", "network"]
Interval = tuple[float, float]


@dataclass(frozen=True)
class ByClass:
    """The accuracy of telling the transformed from the original samples of one class."""

    name: str
    value: float
    interval: Interval


@dataclass(frozen=True)
class ToldApart:
    """Details of an observer that tries to tell transformed from original samples; 0.5 is chance.

    control: the accuracy on a planted break of the size of the margin, with its interval.
    resampling: the accuracy on data that have the symmetry exactly, from traces of resampling alone.
    at_most: for a kept transformation, the largest accuracy that the best observer could reach.
    trace: whether a kept transformation is nevertheless told apart more often than chance.
    exact_p: for few samples, an exact p-value of the first observer, not corrected.
    spread: for a transformation on a line, the width of the range over which the samples seem to be spread.
    """

    control: float | None = None
    control_interval: Interval | None = None
    resampling: float | None = None
    at_most: float | None = None
    trace: bool = False
    exact_p: float | None = None
    spread: float | None = None
    by_class: tuple[ByClass, ...] = ()


@dataclass(frozen=True)
class LabelMap:
    """The effect of a transformation T on labels, from the predictions of a classifier for x and T x.

    permutation: class c becomes class `permutation[c]`; empty unless labels are permuted.
    accuracy, transformed: the accuracy on x, and on T x (after the permutation); None without a classifier, if moments
        of the classes decide.
    """

    effect: Literal["survive", "permuted", "lost", "undecided"]
    accuracy: float | None = None
    transformed: float | None = None
    permutation: tuple[int, ...] = ()


@dataclass(frozen=True)
class Gain:
    """The accuracy of a network whose filters are orbits of the transformation, and of a network with free filters."""

    accuracy: float
    free: float
    images: int


@dataclass(frozen=True, eq=False)
class Defect:
    """The distance of a linear map from a symmetry of moments, or of a law, on samples that did not find it.

    noise: the violation of an exact symmetry, from the finite number of samples.
    share: the violation relative to a random map with the same eigenvalues.
    worst_direction: the largest violation in any direction.
    error: the relative error of the matrix.
    cosine: the cosine with the exact matrix of the same name.
    """

    noise: float
    share: float
    worst_direction: float | None = None
    error: float | None = None
    cosine: float | None = None


@dataclass(frozen=True)
class Filters:
    """Details of the filters of a layer under a transformation T.

    pairs: all pairs (i, j) of filters in orbits for which filter j is T of filter i, up to its sign.
    similarity: the mean cosine of these pairs.
    alike, alike_by_chance: the number of filters whose image has a cosine of at least 0.8 with another filter, and its
        mean if every filter is first transformed by a random power of T.
    self_symmetric: the number of filters that equal their own images.
    p_values: the p-values of both tests, the twist and the gap, not corrected; both tests must reject.
    references: the median balance of operators that preserve smoothness, and of permutations within rings.
    """

    pairs: tuple[tuple[int, int], ...] = ()
    similarity: float | None = None
    alike: int | None = None
    alike_by_chance: float | None = None
    self_symmetric: int | None = None
    p_values: tuple[float, ...] = ()
    references: tuple[float, ...] = ()


Detail = ToldApart | LabelMap | Gain | Defect | Filters


@dataclass(frozen=True)
class Evidence:
    """A measurement of a transformation, with its own verdict.

    The meaning of `value` depends on `kind`:

    - "data": the accuracy of telling transformed from original samples.
    - "labels": the loss of accuracy (the violation, if moments decide).
    - "network": the gain in accuracy, in points.
    - "moments" and "law": a relative violation.
    - "copies": the gap between the nearest filter to the image of a filter and the next filters, in nats.
    - "balance": the change of the second moment of filters, 1 by chance.

    The interval is the one that decides. P-values are corrected for all tests of the call.
    """

    kind: Kind
    value: float
    interval: Interval | None = None
    p_value: float | None = None
    verdict: Verdict | None = None
    detail: Detail | None = None
