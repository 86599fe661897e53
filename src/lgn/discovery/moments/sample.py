"""Samples and views of them: a view is a whitened frame with the moments in it, by blocks of samples."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import torch
from torch import Tensor

from lgn import stats
from lgn.data.seeds import generator_for
from lgn.discovery.moments.block_products import Blocks, weakest_direction
from lgn.discovery.moments.search import polish
from lgn.discovery.moments.tensors import BLOCKS, block_moments, directions, rotate
from lgn.discovery.moments.whitening import MOST, Frame, principal_directions
from lgn.linalg import polar_factor

#: The largest number of directions for which fourth moments are used by the search, and by the judges.
FOURTH, BEYOND = 12, 20
#: The signal-to-noise ratio that every direction should have if the data choose the rank.
CLEAR = 8.0

#: Where a map takes every class.
Classes = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows with their sources and classes. Rows of one source are never in different halves or blocks.

    Shapes: x (N, d) float64, sources (N,), labels (N,) from 0 to classes - 1 or None
    """

    x: Tensor
    sources: Tensor
    labels: Tensor | None
    classes: int
    seed: int

    def part(self, chosen: Tensor) -> "Sample":
        """Some of the rows."""
        labels = None if self.labels is None else self.labels[chosen]
        return replace(self, x=self.x[chosen], sources=self.sources[chosen], labels=labels)

    def pooled(self) -> "Sample":
        """The rows without their classes."""
        return replace(self, labels=None, classes=1)

    def halves(self) -> tuple["Sample", "Sample"]:
        """Two halves without a common source."""
        sources = self.sources.unique(return_inverse=True)[1]
        first = torch.zeros(int(sources.max()) + 1, dtype=torch.bool)
        first[stats.halves(len(first), generator_for("halves of moments", self.seed))[0]] = True
        return self.part(first[sources]), self.part(~first[sources])

    def moments(self, frame: Frame, degrees: tuple[int, ...]) -> Blocks:
        """Moments by degree, (BLOCKS, classes, r, ..., r): of each class up to degree 2, of all classes from 3 on."""
        sources = self.sources.unique(return_inverse=True)[1]
        count = int(sources.max()) + 1
        block = torch.arange(count) % BLOCKS
        block = block[torch.randperm(count, generator=generator_for("blocks of moments", self.seed))][sources]
        u = directions(frame.apply(self.x))
        pooled = self.pooled()
        samples = {degree: self if degree < 3 else pooled for degree in degrees}
        return {degree: block_moments(u, block, degree, one.labels, one.classes) for degree, one in samples.items()}


@dataclass(frozen=True, eq=False)
class View:
    """Samples in a frame, with their moments by blocks."""

    sample: Sample
    frame: Frame
    blocks: Blocks

    @classmethod
    def near(cls, sample: Sample, other: "View") -> "View":
        """Samples in their own whitening, turned to be near the frame of another view."""
        own = principal_directions(sample.x).frame(other.frame.rank)
        frame = own.turned(polar_factor(other.frame.to @ own.back))
        return cls(sample, frame, sample.moments(frame, tuple(other.blocks)))

    @cached_property
    def moments(self) -> dict[int, Tensor]:
        """The mean of all blocks, by degree.  (classes, r, ..., r)"""
        return mean_moments(self.blocks)

    def polished(self, matrices: Tensor, classes: Classes | None) -> Tensor:
        """The nearest solutions on these samples to maps of x.  (count, d, d) -> (count, r, r)"""
        target = None if classes is None else permuted(self.moments, classes)
        return polish(polar_factor(self.frame.lower(matrices)), self.moments, target)


def mean_moments(blocks: Blocks) -> dict[int, Tensor]:
    """(BLOCKS, classes, r, ..., r) -> (classes, r, ..., r)"""
    return {degree: tensor.mean(0) for degree, tensor in blocks.items()}


def permuted(moments: Mapping[int, Tensor], classes: Classes, axis: int = 0) -> dict[int, Tensor]:
    """The moments of class `classes[c]` at place c; moments of all classes together stay as they are."""
    index = torch.tensor(classes)
    return {
        degree: tensor.index_select(axis, index) if tensor.shape[axis] == len(index) else tensor
        for degree, tensor in moments.items()
    }


def choose_frame(
    sample: Sample, degrees: tuple[int, ...], rank: int | None, most: int = MOST
) -> tuple[Frame, dict[int, Tensor]]:
    """The frame with the most directions whose moments are clear, and the moments in it."""
    best: tuple[float, Frame, dict[int, Tensor]] | None = None
    principal = principal_directions(sample.x)
    for tried in [rank] if rank is not None else principal.ranks(most):  # the largest rank first
        frame = principal.frame(tried)
        frame, blocks = _clearest_first(frame, sample.moments(frame, degrees))
        clear = weakest_direction(blocks, len(sample.x))
        if best is None or clear > best[0]:
            best = clear, frame, blocks
        if clear >= CLEAR:
            break
    assert best is not None
    return best[1], best[2]


def _clearest_first(frame: Frame, blocks: Blocks) -> tuple[Frame, dict[int, Tensor]]:
    """Coordinates in which `M_ij = sum_kl T_ikl T_jkl` is diagonal, the clearest direction first."""
    total = torch.zeros(frame.rank, frame.rank, dtype=torch.float64)
    for tensor in mean_moments(blocks).values():
        flat = tensor.reshape(*tensor.shape[:2], -1)
        total = total + torch.einsum("kix,kjx->ij", flat, flat)
    turn = torch.linalg.eigh(total).eigenvectors.flip(1).T
    return frame.turned(turn), {degree: rotate(turn, tensor, degree) for degree, tensor in blocks.items()}
