"""The readings of all transformations of a family, and of a break of known size."""

from dataclasses import dataclass

import torch
from torch import Tensor

from lgn.discovery.observers.observer import learn, logits
from lgn.discovery.observers.planted_break import planted_break, symmetric_copy
from lgn.discovery.observers.randomisation import FEW, exact_p
from lgn.discovery.observers.reading import Reading, answers, read
from lgn.discovery.observers.verdict import is_open
from lgn.transforms import Family

#: Seeds of further observers start here, beyond seeds that users count up from 0.
FRESH = 10_000
#: The number of further observers if the first ones do not decide.
AGAIN = 3

# Note [More than one observer]
# About a symmetry an observer learns nothing but the noise of its own training, and answers by luck. The luck of
# another observer is independent: the mean of their answers about a sample still has the expectation one half, and a
# smaller variance. All observers see the same of a break. Because further observers look only if the first did not
# decide, chance has two tries, both at the level of the verdict.


@dataclass(frozen=True, eq=False)
class Sides:
    """Samples that train and samples that test, (N, C, ...), and the clusters of near-duplicates of the latter."""

    training: Tensor
    test: Tensor
    clusters: Tensor

    @property
    def samples(self) -> Tensor:
        """The samples of both sides."""
        return torch.cat([self.training, self.test])

    def replaced(self, samples: Tensor) -> "Sides":
        """The same division of as many other samples."""
        return Sides(samples[: len(self.training)], samples[len(self.training) :], self.clusters)


@dataclass(frozen=True, eq=False)
class FamilyEvidence:
    """The readings of all transformations of a family, and the controls."""

    family: Family
    #: The accuracy and the confidence of the observer for every test sample, (2, transformations, N).
    answers: Tensor
    readings: tuple[Reading, ...]
    #: Exact p-values for few samples, None without one: Note [Exact for few].
    exact: tuple[float | None, ...]
    #: The reading of a planted break of the margin; None if nothing could be kept.
    control: Reading | None = None
    #: The reading of samples that have the symmetry exactly; None if nothing is resampled.
    resampling: Reading | None = None

    @property
    def chance(self) -> float:
        """The accuracy without any break: one half, or at most the accuracy that resampling gives away."""
        return 0.5 if self.resampling is None else max(0.5, self.resampling.interval[1])


def observe(family: Family, sides: Sides, margin: float, seed: int, effort: float = 1.0) -> FamilyEvidence:
    """Read all transformations of a family; read again those that might be kept, together with a planted break.

    One observer tells all versions of the family apart. If some transformations are told apart by less than the margin,
    a fresh observer tells apart the versions of the subgroup that they generate, because subtle differences are lost
    next to plain ones; and another one looks for a planted break of that subgroup (Note [Planted break]). If that does
    not decide, more observers look at both, with new breaks, and their answers are averaged (Note [More than one
    observer]).
    """
    outputs = _outputs(family, sides, seed, effort)
    found = _answers(outputs, family)
    exact = tuple(
        exact_p(outputs, family.pairs(one), sides.clusters, seed)
        if len(sides.test) <= FEW and family.group is not None and not family.resampled
        else None
        for one in family.transformations
    )
    resampling = control = None
    if family.group is not None:
        if family.resampled:
            copy = sides.replaced(symmetric_copy(family, sides.samples, seed))
            outputs = _outputs(family, copy, 2 * FRESH + seed, effort)
            resampling = read(_answers(outputs, family).mean(1), sides.clusters)
        shares = [read(one, sides.clusters).share for one in found.unbind(1)]
        near = [
            one.element
            for one, share in zip(family.transformations, shares, strict=True)
            if one.element is not None and share < 0.5 + margin
        ]
        if near:
            elements = family.group.subgroup(near).elements
            control = _look_closer(found, family, elements, sides, margin, seed, effort)
    readings = tuple(read(one, sides.clusters) for one in found.unbind(1))
    return FamilyEvidence(family, found, readings, exact, control, resampling)


def _look_closer(
    found: Tensor, family: Family, elements: tuple[int, ...], sides: Sides, margin: float, seed: int, effort: float
) -> Reading:
    """Replace the answers about a subgroup in `found` by better ones, and return the reading of a planted break."""
    part = family.restricted(elements)
    among = [place for place, one in enumerate(family.transformations) if one.element in elements]

    def fresh(samples: Sides, number: int) -> Tensor:
        return _answers(_outputs(part, samples, number * FRESH + seed, effort), part)

    def broken(number: int) -> Tensor:
        made = planted_break(family, elements, sides.samples, 2 * margin, number * FRESH + seed)
        return fresh(sides.replaced(made), 20 + number).mean(1)

    if len(elements) < family.versions:
        found[:, among] = fresh(sides, 1)
    seen = broken(0)
    if is_open([read(one, sides.clusters) for one in found[:, among].unbind(1)], read(seen, sides.clusters)):
        for number in range(1, AGAIN + 1):
            found[:, among] += fresh(sides, 10 + number)
            seen += broken(number)
        found[:, among] /= AGAIN + 1
        seen /= AGAIN + 1
    return read(seen, sides.clusters)


def _outputs(family: Family, sides: Sides, seed: int, effort: float) -> Tensor:
    """The outputs of a fresh observer for the test samples.  -> (N, versions, versions)"""
    return logits(learn(family, sides.training, seed, effort), family, sides.test, seed)


def _answers(outputs: Tensor, family: Family) -> Tensor:
    return torch.stack([answers(outputs, family.pairs(one)) for one in family.transformations], 1)
