"""From samples to what observers see: a standardised selection, its division, and the families of the candidates."""

from dataclasses import dataclass, replace
from typing import cast

import torch
from torch import Tensor

from lgn.data import generator_for
from lgn.data.kinds import Kind
from lgn.discovery.images.budget import planned
from lgn.discovery.images.division import HELD_OUT, divide, joined, near_duplicates
from lgn.discovery.images.own import own_families
from lgn.discovery.images.question import Question, require_different
from lgn.discovery.images.standardising import Standardised, standardised
from lgn.discovery.observers import shrink
from lgn.discovery.observers.observing import Sides
from lgn.transforms import Family, Space, families_of

#: The largest number of samples that are used: more are not needed.
MOST = 20_000
#: Samples that show to which families the candidates belong, and samples that are timed.
SHOWN, TIMED = 64, 128


@dataclass(frozen=True, eq=False)
class Prepared:
    """The samples that are used, (N, C, ...), and the indices of those that train and those that test."""

    data: Standardised
    labels: Tensor | None
    #: Samples with equal numbers are one draw, (N,); None for `blocks` if none were given.
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

    def sides(self, family: Family) -> Sides:
        """The samples for a family."""
        samples = _view(family, self.data, family in self.own)
        return Sides(samples[self.training], samples[self.test], self.clusters[self.test])

    def labels_of(self, indices: Tensor) -> Tensor:
        """The labels of samples."""
        assert self.labels is not None
        return self.labels[indices]


def prepare(samples: Tensor, labels: Tensor | None, blocks: Tensor | None, question: Question) -> Prepared:
    """Select and standardise samples, and divide them; blocks and near-duplicates are on one side."""
    notes: list[str] = []
    kind, effort = question.kind, question.effort
    samples, labels, blocks = _selected(samples, labels, blocks, MOST, question.seed, kind, notes)
    data = standardised(samples)
    known = families_of(question.names, kind, data.samples[:SHOWN], data.zero) if question.names else ()
    own = tuple(own_families(question.own, data, cast(Space, kind)))
    names = [one.name for family in own for one in family.transformations]
    names += {one.name for family in known for one in family.transformations}
    if repeated := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"candidates must have different names, got {repeated[0]!r} twice")
    if question.minutes is not None:
        timed = replace(data, samples=data.samples[:TIMED])
        costs = [(family, _view(family, timed, family in own)) for family in (*known, *own)]
        count, effort = planned(question.minutes, costs, len(data.samples), effort, question.evidence)
        chosen, labels, blocks = _selected(data.samples, labels, blocks, count, question.seed, kind, notes)
        data = replace(data, samples=chosen)
        if effort < question.effort:
            notes.append(f"Observers were trained for {effort / question.effort:.0%} of the usual time.")
    clusters = near_duplicates(data.samples)
    if copies := len(clusters) - len(clusters.unique()):
        notes.append(f"{copies:,} near-duplicates count together with the {kind} that they copy.")
    if blocks is not None:
        clusters = blocks = joined(clusters, blocks)
        notes.append(f"The {kind} form {len(clusters.unique()):,} independent blocks.")
    require_different(data.samples, clusters)
    training, test = divide(clusters, HELD_OUT, question.seed)
    return Prepared(data, labels, clusters, blocks, training, test, known, own, effort, tuple(notes))


def _view(family: Family, data: Standardised, own: bool) -> Tensor:
    """The samples as large as a family needs them; the user's functions see them as they are."""
    if own:
        return data.samples
    return shrink(data.samples) if family.scales else data.fine()


def _selected(
    samples: Tensor, labels: Tensor | None, blocks: Tensor | None, most: int, seed: int, kind: Kind, notes: list[str]
) -> tuple[Tensor, Tensor | None, Tensor | None]:
    """A random selection of the samples if there are more than `most`."""
    if len(samples) <= most:
        return samples, labels, blocks
    notes.append(f"{most:,} of {len(samples):,} {kind} were used, drawn at random.")
    random = generator_for("symmetry some", seed)
    chosen = torch.randperm(len(samples), generator=random)[:most].sort().values
    labels, blocks = (None if one is None else one[chosen] for one in (labels, blocks))
    return samples[chosen], labels, blocks
