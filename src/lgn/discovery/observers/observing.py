"""The accuracy of observers for all transformations of a family, and for a break of known size."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from lgn.discovery.observers.accuracy import Accuracy, correctness, mean_accuracy
from lgn.discovery.observers.observer import learn, logits
from lgn.discovery.observers.planted_break import planted_break, symmetric_copy
from lgn.discovery.observers.randomisation import FEW, exact_p
from lgn.discovery.observers.verdict import is_open
from lgn.transforms import Family

#: The distance between the seeds of two observers, larger than the seeds of users, who count up from 0.
SEED_STEP = 10_000
#: The number of further observers if the first observers do not decide.
FURTHER = 3

# Note [More than one observer]
# If T is a symmetry, an observer learns nothing but the noise of its own training, and is right by luck. The luck of
# another observer is independent: the mean of their answers about a sample still has the expectation one half, and a
# smaller variance. If T is broken, all observers see the same break. Further observers look only if the first did not
# decide, so chance has two tries, both at the level of the verdict.


@dataclass(frozen=True, eq=False)
class Division:
    """Samples that train and samples that test, (N, C, ...), and the clusters of near-duplicates of the latter."""

    training: Tensor
    test: Tensor
    clusters: Tensor

    @property
    def samples(self) -> Tensor:
        """All samples."""
        return torch.cat([self.training, self.test])

    def with_samples(self, samples: Tensor) -> "Division":
        """The same division of other samples, as many as before."""
        return Division(samples[: len(self.training)], samples[len(self.training) :], self.clusters)


#: The outputs of a fresh observer of a family, with a number that makes its seed.
Look = Callable[[Family, Division, int], Tensor]


@dataclass(frozen=True, eq=False)
class FamilyEvidence:
    """The accuracies for all transformations of a family, and for the controls."""

    family: Family
    #: The `correctness` for every test sample, (2, transformations, N).
    correct: Tensor
    accuracies: tuple[Accuracy, ...]
    #: Exact p-values for few samples, otherwise None: Note [Exact p-value].
    exact: tuple[float | None, ...]
    #: The accuracy on a planted break of the margin; None if nothing could be kept.
    control: Accuracy | None = None
    #: The accuracy on samples that have the symmetry exactly; None if nothing is resampled.
    resampling: Accuracy | None = None

    @property
    def chance(self) -> float:
        """The accuracy without any break: one half, or the upper end of the accuracy from traces of resampling."""
        return 0.5 if self.resampling is None else max(0.5, self.resampling.interval[1])


def observe(family: Family, division: Division, margin: float, seed: int, effort: float = 1.0) -> FamilyEvidence:
    """Measure how well observers tell the versions of samples apart, for all transformations of a family.

    One observer tells all versions of the family apart. The transformations that are told apart by less than the margin
    generate a subgroup. A fresh observer tells only the versions of this subgroup apart, because subtle differences are
    lost next to plain ones, and another one looks for a planted break of the subgroup (Note [Planted break]). If that
    does not decide, further observers look at both, with new breaks (Note [More than one observer]).
    """

    def look(part: Family, samples: Division, number: int) -> Tensor:
        """The outputs of a fresh observer for the test samples.  -> (N, versions, versions)"""
        own = number * SEED_STEP + seed
        return logits(learn(part, samples.training, own, effort), part, samples.test, own)

    outputs = look(family, division, 0)
    correct = _correctness(outputs, family)
    exact = tuple(
        exact_p(outputs, family.pairs(transformation), division.clusters, seed)
        if len(division.test) <= FEW and family.group is not None and not family.resampled
        else None
        for transformation in family.transformations
    )
    resampling = control = None
    if family.group is not None:
        if family.resampled:
            copy = division.with_samples(symmetric_copy(family, division.samples, seed))
            resampling = mean_accuracy(_correctness(look(family, copy, 2), family).mean(1), division.clusters)
        near = [
            transformation.element
            for transformation, accuracy in zip(family.transformations, _accuracies(correct, division), strict=True)
            if transformation.element is not None and accuracy.value < 0.5 + margin
        ]
        if near:
            elements = family.group.subgroup(near).elements
            control = _look_closer(look, correct, family, elements, division, margin, seed)
    return FamilyEvidence(family, correct, _accuracies(correct, division), exact, control, resampling)


def _look_closer(
    look: Look, correct: Tensor, family: Family, elements: tuple[int, ...], division: Division, margin: float, seed: int
) -> Accuracy:
    """Replace the columns of a subgroup in `correct` by better ones, and return the accuracy on a planted break."""
    part = family.restricted(elements)
    columns = [
        column for column, transformation in enumerate(family.transformations) if transformation.element in elements
    ]

    def planted(number: int) -> Tensor:
        samples = planted_break(family, elements, division.samples, 2 * margin, number * SEED_STEP + seed)
        return _correctness(look(part, division.with_samples(samples), 20 + number), part).mean(1)

    if len(elements) < family.versions:
        correct[:, columns] = _correctness(look(part, division, 1), part)
    control = planted(0)
    if is_open(_accuracies(correct[:, columns], division), mean_accuracy(control, division.clusters)):
        for number in range(1, FURTHER + 1):
            correct[:, columns] += _correctness(look(part, division, 10 + number), part)
            control += planted(number)
        correct[:, columns] /= FURTHER + 1
        control /= FURTHER + 1
    return mean_accuracy(control, division.clusters)


def _correctness(outputs: Tensor, family: Family) -> Tensor:
    pairs = [family.pairs(transformation) for transformation in family.transformations]
    return torch.stack([correctness(outputs, pair) for pair in pairs], 1)


def _accuracies(correct: Tensor, division: Division) -> tuple[Accuracy, ...]:
    return tuple(mean_accuracy(column, division.clusters) for column in correct.unbind(1))
