"""Samples in whitened frames: the coordinates in which every linear map that preserves a distribution is orthogonal."""

from dataclasses import dataclass, replace
from functools import cached_property

import torch
from torch import Tensor
from torch.nn import functional as F

from lgn import stats
from lgn.data.seeds import generator_for
from lgn.discovery.moments.search import polish
from lgn.discovery.moments.tensors import BLOCKS, Blocks, Classes, block_moments, permuted, rotate, weakest_direction
from lgn.linalg import polar_factor

#: A direction with less than this share of the largest variance is constant up to rounding.
CONSTANT = 1e-10
#: The largest and the smallest rank that the data can choose, and the logarithm of the ratio of two variances at a gap.
MOST, FEWEST, WIDE = 20, 4, 0.22
#: The largest number of directions for which fourth moments are used by the search, and by the judges.
FOURTH, BEYOND = 12, 20
#: The signal-to-noise ratio that every direction should have if the data choose the rank.
CLEAR = 8.0

# Note [Third moments are not enough]
# Third moments of signals with random cyclic shifts are their bispectrum, which a reversal with a filter may preserve.
# An example is the profiles of digits, whose fourth moments show that the reversal is no symmetry. So fourth moments
# also judge the maps that third moments keep.


@dataclass(frozen=True, eq=False)
class Frame:
    """`z = to (x - mean)` has mean zero and unit covariance on r directions, and `x - mean` is `back z` there.

    Shapes: mean (d,), to (r, d), back (d, r), with `to back = I`.
    """

    mean: Tensor
    to: Tensor
    back: Tensor

    @property
    def rank(self) -> int:
        """The number r of directions."""
        return self.to.shape[0]

    def apply(self, x: Tensor) -> Tensor:
        """The whitened samples.  (N, d) -> (N, r)"""
        return (x - self.mean) @ self.to.T

    def leading(self, rank: int) -> "Frame":
        """The first directions."""
        return Frame(self.mean, self.to[:rank], self.back[:, :rank])

    def turned(self, rotation: Tensor) -> "Frame":
        """The same directions in the coordinates `rotation z`.  (r, r) orthogonal"""
        return Frame(self.mean, rotation @ self.to, self.back @ rotation.T)

    def lift(self, inner: Tensor) -> Tensor:
        """A map of z as a map of `x - mean`; other directions stay as they are.  (r, r) -> (d, d)"""
        eye = torch.eye(len(self.mean), dtype=inner.dtype)
        return eye + self.back @ (inner - torch.eye(self.rank, dtype=inner.dtype)) @ self.to

    def lower(self, matrix: Tensor) -> Tensor:
        """A map of `x - mean` on the directions of this frame.  (..., d, d) -> (..., r, r)"""
        return self.to @ matrix @ self.back


def whitening(x: Tensor) -> Frame:
    """The principal directions of rows that are not constant, in falling order of their variances.  (N, d)"""
    mean = x.mean(0)
    centred = x - mean
    variances, directions = torch.linalg.eigh(centred.T @ centred / len(x))
    present = int((variances > CONSTANT * variances[-1]).sum())
    scale, directions = variances.flip(0)[:present].sqrt(), directions.flip(1)[:, :present]
    return Frame(mean, (directions / scale).T.contiguous(), directions * scale)


def ranks(frame: Frame, most: int = MOST) -> list[int]:
    """Ranks at which the variances can be cut, the largest first: all, or at gaps wider than both neighbours."""
    count, variances = frame.rank, frame.back.square().sum(0)
    cuts = [count] if count <= most else []
    gaps = [0.0, *(variances[:-1] / variances[1:]).log().tolist(), 0.0]  # gaps[k] follows the k-th
    inner = range(min(most, count - 1), FEWEST - 1, -1)
    cuts += [rank for rank in inner if gaps[rank] >= max(WIDE, gaps[rank - 1], gaps[rank + 1])]
    return cuts or [min(count, FEWEST)]


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

    def part(self, rows: Tensor) -> "Sample":
        """The rows with these indices, or where the mask is true."""
        labels = None if self.labels is None else self.labels[rows]
        return replace(self, x=self.x[rows], sources=self.sources[rows], labels=labels)

    def pooled(self) -> "Sample":
        """The rows without their classes."""
        return replace(self, labels=None, classes=1)

    def halves(self) -> tuple["Sample", "Sample"]:
        """Two halves without a common source."""
        sources = self.sources.unique(return_inverse=True)[1]
        first = stats.halves(int(sources.max()) + 1, generator_for("halves of moments", self.seed))[0]
        half = torch.isin(sources, first)
        return self.part(half), self.part(~half)

    def moments(self, frame: Frame, degrees: tuple[int, ...]) -> Blocks:
        """Moments by degree, (BLOCKS, classes, r, ..., r): of each class up to degree 2, of all classes from 3 on."""
        sources = self.sources.unique(return_inverse=True)[1]
        count = int(sources.max()) + 1
        block = torch.arange(count) % BLOCKS
        block = block[torch.randperm(count, generator=generator_for("blocks of moments", self.seed))][sources]
        u = F.normalize(frame.apply(self.x), eps=torch.finfo(torch.float64).tiny)
        pooled = self.pooled()
        samples = {degree: self if degree < 3 else pooled for degree in degrees}
        return {
            degree: block_moments(u, block, degree, sample.labels, sample.classes) for degree, sample in samples.items()
        }


@dataclass(frozen=True, eq=False)
class View:
    """Samples that find maps in a frame, with their moments by blocks, and the other samples, which judge the maps."""

    sample: Sample
    judges: Sample
    frame: Frame
    blocks: Blocks

    def turned_to(self, sample: Sample, judges: Sample) -> "View":
        """The view of other samples in their own whitened directions, turned to be near this frame."""
        own = whitening(sample.x).leading(self.frame.rank)
        frame = own.turned(polar_factor(self.frame.to @ own.back))
        return View(sample, judges, frame, sample.moments(frame, tuple(self.blocks)))

    @cached_property
    def moments(self) -> dict[int, Tensor]:
        """The mean of all blocks, by degree.  (classes, r, ..., r)"""
        return {degree: tensor.mean(0) for degree, tensor in self.blocks.items()}

    @cached_property
    def judging(self) -> Blocks:
        return self.judges.moments(self.frame, tuple(self.blocks))

    @cached_property
    def further(self) -> Blocks:
        """Fourth moments of the judges if third ones searched alone: see Note [Third moments are not enough]."""
        if 3 not in self.blocks or 4 in self.blocks or self.frame.rank > BEYOND:
            return {}
        return self.judges.moments(self.frame, (4,))

    def polished(self, matrices: Tensor, classes: Classes | None) -> Tensor:
        """The nearest solutions on these samples to maps of x.  (count, d, d) -> (count, r, r)"""
        return polish(polar_factor(self.frame.lower(matrices)), self.moments, permuted(self.moments, classes))


def choose_frame(sample: Sample, degrees: tuple[int, ...], rank: int | None, most: int = MOST) -> tuple[Frame, Blocks]:
    """The frame with the most directions whose moments are clear, and the moments in it."""
    found, whole = [], whitening(sample.x)
    for tried in [rank] if rank is not None else ranks(whole, most):  # the largest rank first
        frame = whole.leading(tried)
        blocks = sample.moments(frame, degrees)
        # In the eigenbasis of M_ij = sum_kl T_ikl T_jkl, the clearest direction first.
        total = torch.zeros(frame.rank, frame.rank, dtype=torch.float64)
        for tensor in blocks.values():
            flat = tensor.mean(0).reshape(tensor.shape[1], frame.rank, -1)
            total = total + torch.einsum("kix,kjx->ij", flat, flat)
        turn = torch.linalg.eigh(total).eigenvectors.flip(1).T
        frame = frame.turned(turn)
        blocks = {degree: rotate(turn, tensor, degree) for degree, tensor in blocks.items()}
        found.append((weakest_direction(blocks, len(sample.x)), frame, blocks))
        if found[-1][0] >= CLEAR:
            break
    _, frame, blocks = max(found, key=lambda one: one[0])
    return frame, blocks
