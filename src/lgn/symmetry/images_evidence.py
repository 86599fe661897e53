"""Evidence from images: what an observer reads of every candidate of a family, and of a break of known size."""

from dataclasses import dataclass

import torch
from torch import Tensor

from lgn.symmetry.family import Family
from lgn.symmetry.observer import VISITS, learn, logits
from lgn.symmetry.power import planted_break, twin
from lgn.symmetry.statistic import Reading, read, right_answers

#: Where the seeds of fresh observers begin: beyond those that people count up from 0.
FRESH = 10_000
#: A twin that is told apart better than this says that resampling gives itself away.
TRACE = 0.02


@dataclass(frozen=True, eq=False)
class Parts:
    """Images to learn from and to judge with, (N, C, H, W), and the clusters of near-duplicates of those that judge."""

    learns: Tensor
    judges: Tensor
    clusters: Tensor

    def changed(self, family: Family, images: Tensor) -> "Parts":
        """The same division of other images of the same number."""
        del family
        return Parts(images[: len(self.learns)], images[len(self.learns) :], self.clusters)

    @property
    def images(self) -> Tensor:
        return torch.cat([self.learns, self.judges])


@dataclass(frozen=True, eq=False)
class FamilyEvidence:
    """What was read of each candidate, image by image; and the controls, where they were asked for."""

    family: Family
    #: (candidates, N): whether each image that judges was told apart.
    answers: Tensor
    readings: tuple[Reading, ...]
    #: A break of just the margin, as a fresh observer reads it; None where nothing could be kept.
    control: Reading | None = None
    #: Images that have the symmetry exactly: what resampling alone gives away; None where nothing is resampled.
    twin: Reading | None = None


def observe(family: Family, parts: Parts, margin: float, seed: int, visits: int = VISITS) -> FamilyEvidence:
    """Train an observer, read all candidates, and, where some might be kept, look for a break of the margin."""
    answers = _answers(family, parts, seed, visits)
    readings = tuple(read(each, parts.clusters) for each in answers)
    control = twins = None
    suspects = [
        each.element
        for each, found in zip(family.candidates, readings, strict=True)
        if each.element is not None and found.interval[0] < 0.5 + margin and found.share < 0.5 + margin
    ]
    group = family.group
    if group is not None and suspects and family.rule is not None:
        elements = group.subgroup(suspects).elements
        broken = planted_break(family, elements, parts.images, 2 * margin, seed)
        seen = _answers(family, parts.changed(family, broken), FRESH + seed, visits)
        among = [i for i, each in enumerate(family.candidates) if each.element in elements]
        control = read(seen[among].mean(0), parts.clusters)
        if family.resampled:
            twins = _twin(family, parts, seed, visits)
    return FamilyEvidence(family, answers, readings, control, twins)


def _twin(family: Family, parts: Parts, seed: int, visits: int) -> Reading:
    same = parts.changed(family, twin(family, parts.images, seed))
    return read(_answers(family, same, 2 * FRESH + seed, visits).mean(0), parts.clusters)


def _answers(family: Family, parts: Parts, seed: int, visits: int) -> Tensor:
    model = learn(family, parts.learns, seed, visits)
    said = logits(model, family, parts.judges, seed)
    return torch.stack([right_answers(said, candidate) for candidate in family.candidates])
