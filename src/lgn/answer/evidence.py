"""`Evidence`: what images, labels, moments, a law or a network say about a transformation; and its details."""

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
    resampling: the accuracy on data that have the symmetry exactly but are resampled: what resampling gives away.
    at_most: for a kept transformation, the largest accuracy that the best observer could reach.
    trace: whether a kept transformation is told apart more often than chance all the same.
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
    """What a transformation does to labels: a classifier is asked for the class of x and of T x.

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
    """Accuracy of a network whose filters are orbits of the transformation, and of one with free filters."""

    accuracy: float
    free: float
    images: int


@dataclass(frozen=True, eq=False)
class Defect:
    """How far a linear map is from a symmetry of moments, or of a law, on samples that did not find it.

    share: the violation relative to a map with the same eigenvalues at a random place.
    worst_direction: the largest violation of any direction.
    error: the relative error of the matrix.
    cosine: the cosine with the exact matrix of that name.
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
    self_symmetric: the number of filters that are their own images.
    p_values: of the two tests that must both reject, the twist and the gap, not corrected.
    references: for balance, the median for operators that preserve smoothness, and for permutations within rings.
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
    """One measurement of a transformation, with its own verdict.

    The meaning of `value` follows from `kind`: for "data" the accuracy of telling transformed from original samples,
    for "labels" the accuracy that is lost (the violation, if moments decide), for "network" the gain in accuracy in
    points, for "moments" and "law" a relative violation. For "copies" it is how much nearer the image of a filter is to
    another filter than the images of unrelated filters are, in nats; for "balance" it is how much T changes the second
    moment of filters, 1 by chance. The interval is the one that decides; p-values are corrected for all tests of the
    call.
    """

    kind: Kind
    value: float
    interval: Interval | None = None
    p_value: float | None = None
    verdict: Verdict | None = None
    detail: Detail | None = None
