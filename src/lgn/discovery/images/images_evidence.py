"""Evidence from images: what an observer reads of every candidate of a family, and of a break of known size."""

from dataclasses import dataclass

import torch
from torch import Tensor

from lgn.discovery.images.family import Family
from lgn.discovery.images.observer import learn, logits
from lgn.discovery.images.power import planted_break, twin
from lgn.discovery.images.randomisation import FEW, exact_p
from lgn.discovery.images.statistic import Reading, answers, read
from lgn.discovery.images.verdict import is_open

#: Where the seeds of fresh observers begin: beyond those that people count up from 0.
FRESH = 10_000


#: How many more observers look where one does not decide.
AGAIN = 3

# Note [More than one observer]
# Of a symmetry an observer learns nothing but the noise of its own training, and answers each image by luck. Another
# one has other luck: the mean of their answers to an image still has the expectation one half, and a smaller spread.
# What can be seen of a break they see alike. That a second look is taken only where the first did not decide gives
# chance two tries, each at the level of the verdict.


@dataclass(frozen=True, eq=False)
class Parts:
    """Images to learn from and to judge with, (N, C, H, W), and the clusters of near-duplicates of those that judge."""

    learns: Tensor
    judges: Tensor
    clusters: Tensor

    def changed(self, images: Tensor) -> "Parts":
        """The same division of as many other images."""
        return Parts(images[: len(self.learns)], images[len(self.learns) :], self.clusters)

    @property
    def images(self) -> Tensor:
        return torch.cat([self.learns, self.judges])


@dataclass(frozen=True, eq=False)
class FamilyEvidence:
    """What was read of each candidate, image by image; and the controls, where they were asked for."""

    family: Family
    #: (2, candidates, N): whether each image that judges was told apart, and how surely.
    answers: Tensor
    readings: tuple[Reading, ...]
    #: A break of just the margin, as a fresh observer reads it; None where nothing could be kept.
    control: Reading | None = None
    #: Where images are few, exact p-values: Note [Exact for few]; None for candidates that have none.
    exact: tuple[float | None, ...] = ()
    #: Images that have the symmetry exactly: what resampling alone gives away; None where nothing is resampled.
    twin: Reading | None = None

    @property
    def chance(self) -> float:
        """What must be exceeded: one half, or what resampling gives away at most."""
        return 0.5 if self.twin is None else max(0.5, self.twin.interval[1])


def observe(family: Family, parts: Parts, margin: float, seed: int, effort: float = 1.0) -> FamilyEvidence:
    """Read all candidates; where some might be kept, look again at those alone, and at a break of the margin.

    One observer tells all versions of the family apart. Where some candidates are told by less than the margin, the
    subgroup that they generate gets a fresh one of its own, for subtle differences are lost beside plain ones; and
    another fresh one looks for a break of that subgroup (Note [A break of known size]). Where that does not decide,
    more observers look at both, each for a break by another rule, and their answers are averaged image by image (Note
    [More than one observer]).
    """
    said = _said(family, parts, seed, effort)
    found = _of(said, family)
    exact = tuple(
        exact_p(said, each, parts.clusters, seed)
        if len(parts.judges) <= FEW and each.element is not None and not family.resampled
        else None
        for each in family.candidates
    )
    first = [read(each, parts.clusters).share for each in found.unbind(1)]
    twins = control = None
    if family.resampled and family.group_name is not None:
        same = parts.changed(twin(family, parts.images, seed))
        twins = read(_answers(family, same, 2 * FRESH + seed, effort).mean(1), parts.clusters)
    near = [
        each.element
        for each, share in zip(family.candidates, first, strict=True)
        if each.element is not None and share < 0.5 + margin
    ]
    group = family.group
    if group is not None and near:
        elements = group.subgroup(near).elements
        part = family.restricted(elements)
        among = [i for i, each in enumerate(family.candidates) if each.element in elements]

        def broken(number: int) -> Tensor:
            made = planted_break(family, elements, parts.images, 2 * margin, number * FRESH + seed)
            return _answers(part, parts.changed(made), (20 + number) * FRESH + seed, effort).mean(1)

        if len(elements) < family.versions:
            found[:, among] = _answers(part, parts, FRESH + seed, effort)
        seen = broken(0)
        if is_open([read(each, parts.clusters) for each in found[:, among].unbind(1)], read(seen, parts.clusters)):
            for number in range(1, AGAIN + 1):
                found[:, among] += _answers(part, parts, (10 + number) * FRESH + seed, effort)
                seen += broken(number)
            found[:, among] /= AGAIN + 1
            seen /= AGAIN + 1
        control = read(seen, parts.clusters)
    readings = tuple(read(each, parts.clusters) for each in found.unbind(1))
    return FamilyEvidence(family, found, readings, control, exact, twins)


def _answers(family: Family, parts: Parts, seed: int, effort: float) -> Tensor:
    """Of a fresh observer, for each candidate and each image that judges.  -> (2, candidates, N)"""
    return _of(_said(family, parts, seed, effort), family)


def _said(family: Family, parts: Parts, seed: int, effort: float) -> Tensor:
    """What a fresh observer says of the images that judge.  -> (N, versions, versions)"""
    return logits(learn(family, parts.learns, seed, effort), family, parts.judges, seed)


def _of(said: Tensor, family: Family) -> Tensor:
    return torch.stack([answers(said, candidate) for candidate in family.candidates], 1)
