"""Prepared samples: a standardised selection, its division, and the families of the candidates."""

from dataclasses import dataclass, replace
from typing import cast

import torch
from torch import Tensor

from lgn.data import generator_for
from lgn.discovery.images.budget import plan
from lgn.discovery.images.division import HELD_OUT, divide, joined, near_duplicates
from lgn.discovery.images.question import Question, require_different
from lgn.discovery.images.standardising import Standardised, standardised
from lgn.discovery.images.users_candidates import users_families
from lgn.discovery.observers import shrink
from lgn.discovery.observers.observing import Division
from lgn.fitting import Labelled
from lgn.transforms import Family, Space, families_of

#: The largest number of samples that are used; more samples would not change verdicts.
MOST = 20_000
#: The number of samples from which families are made, and the number of samples that are timed.
FEW, TIMED = 64, 128


@dataclass(frozen=True, eq=False)
class Prepared:
    """The samples that are used, (N, C, ...), and the indices of those that train and those that test."""

    data: Standardised
    labels: Tensor | None
    #: Samples with equal numbers are one draw, (N,): clusters of near-duplicates and blocks; only blocks, or None.
    clusters: Tensor
    blocks: Tensor | None
    training: Tensor
    test: Tensor
    #: The families of the catalogue, and those of the user's candidates.
    known: tuple[Family, ...]
    own: tuple[Family, ...]
    effort: float
    notes: tuple[str, ...]

    @property
    def families(self) -> tuple[Family, ...]:
        """All families."""
        return (*self.known, *self.own)

    def division_of(self, family: Family) -> Division:
        """The divided samples for a family."""
        samples = _samples_for(family, self.data, family in self.own)
        return Division(samples[self.training], samples[self.test], self.clusters[self.test])

    def labels_of(self, indices: Tensor) -> Tensor:
        """The labels of samples."""
        assert self.labels is not None
        return self.labels[indices]

    def labelled(self, indices: Tensor) -> Labelled:
        """Samples and their labels."""
        return self.data.samples[indices], self.labels_of(indices)


def prepare(samples: Tensor, labels: Tensor | None, blocks: Tensor | None, question: Question) -> Prepared:
    """Select, standardise and divide samples, and make the families of the candidates."""
    notes: list[str] = []
    kind, effort = question.kind, question.effort
    drawn = _drawn(len(samples), MOST, question.seed)
    data = standardised(samples[drawn] if len(drawn) < len(samples) else samples)
    known = families_of(question.names, kind, data.samples[:FEW], data.zero) if question.names else ()
    own = tuple(users_families(question.own, data, cast(Space, kind)))
    names = [transformation.name for family in own for transformation in family.transformations]
    names += {transformation.name for family in known for transformation in family.transformations}
    if repeated := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"candidates must have different names, got {repeated[0]!r} twice")
    if question.minutes is not None:
        timed = replace(data, samples=data.samples[:TIMED])
        costs = [(family, _samples_for(family, timed, family in own)) for family in (*known, *own)]
        count, effort = plan(question.minutes, costs, len(drawn), effort, question.evidence)
        part = _drawn(len(drawn), count, question.seed)
        drawn, data = drawn[part], replace(data, samples=data.samples[part])
    if len(drawn) < len(samples):
        notes.append(f"{len(drawn):,} of {len(samples):,} {kind} were used, drawn at random.")
    if effort < question.effort:
        notes.append(f"Observers were trained for {effort / question.effort:.0%} of the usual time.")
    labels, blocks = (None if numbers is None else numbers[drawn] for numbers in (labels, blocks))
    clusters = near_duplicates(data.samples)
    if copies := len(clusters) - len(clusters.unique()):
        notes.append(f"{copies:,} near-duplicates count together with the {kind} that they copy.")
    if blocks is not None:
        clusters = blocks = joined(clusters, blocks)
        notes.append(f"The {kind} form {len(clusters.unique()):,} independent blocks.")
    require_different(data.samples, clusters)
    training, test = divide(clusters, HELD_OUT, question.seed)
    return Prepared(data, labels, clusters, blocks, training, test, known, own, effort, tuple(notes))


def _samples_for(family: Family, data: Standardised, own: bool) -> Tensor:
    """The samples in the size that a family needs; the user's transformations see the full size."""
    if own:
        return data.samples
    return shrink(data.samples) if family.scales else data.fine()


def _drawn(count: int, most: int, seed: int) -> Tensor:
    """The sorted indices of at most `most` samples, drawn at random."""
    if count <= most:
        return torch.arange(count)
    return torch.randperm(count, generator=generator_for("symmetry some", seed))[:most].sort().values
