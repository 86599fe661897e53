"""Samples in two halves, one to search and one to judge, and their moments in blocks of whole images."""

from dataclasses import dataclass

import torch
from torch import Tensor

from lgn import stats
from lgn.data.seeds import generator_for
from lgn.discovery.moments.significance import Blocks, weakest_direction
from lgn.discovery.moments.tensors import BLOCKS, block_moments, directions, rotate
from lgn.discovery.moments.whitening import MOST, Frame, principal_directions

FOURTH = 12  # directions up to which fourth moments search
BEYOND = 20  # directions up to which they are asked about what third moments keep
CLEAR = 8.0  # signal over noise that every direction should have, where the data choose the rank


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows, the image that each comes from, and their classes.

    Shapes: x (N, d) float64, images (N,), labels (N,) in 0..classes-1 or None
    """

    x: Tensor
    images: Tensor
    labels: Tensor | None
    classes: int

    def part(self, chosen: Tensor) -> "Sample":
        return Sample(
            self.x[chosen], self.images[chosen], None if self.labels is None else self.labels[chosen], self.classes
        )

    def moments(self, frame: Frame, degrees: tuple[int, ...], seed: int) -> Blocks:
        """By degree (BLOCKS, classes, r, ..., r)"""
        images = self.images.unique(return_inverse=True)[1]
        number = int(images.max()) + 1
        block = torch.arange(number) % BLOCKS
        block = block[torch.randperm(number, generator=generator_for("blocks of moments", seed))][images]
        u = directions(frame.apply(self.x))
        return {degree: block_moments(u, block, degree, self.labels, self.classes) for degree in degrees}


def halves(sample: Sample, seed: int) -> tuple[Sample, Sample]:
    """Two halves that share no image."""
    images = sample.images.unique(return_inverse=True)[1]
    number = int(images.max()) + 1
    first = torch.zeros(number, dtype=torch.bool)
    first[stats.halves(number, generator_for("halves of moments", seed))[0]] = True
    return sample.part(first[images]), sample.part(~first[images])


def mean_moments(blocks: Blocks) -> dict[int, Tensor]:
    """(BLOCKS, classes, r, ..., r) -> (classes, r, ..., r)"""
    return {degree: each.mean(0) for degree, each in blocks.items()}


def clearest_first(frame: Frame, blocks: Blocks) -> tuple[Frame, dict[int, Tensor]]:
    """Coordinates in which `M_ij = sum_kl T_ikl T_jkl` is diagonal, the clearest direction first."""
    total = sum(torch.einsum("kix,kjx->ij", flat, flat) for flat in (_flat(each.mean(0)) for each in blocks.values()))
    assert isinstance(total, Tensor)
    turn = torch.linalg.eigh(total).eigenvectors.flip(1).T
    return frame.turned(turn), {degree: rotate(turn, each, degree) for degree, each in blocks.items()}


def choose_frame(
    sample: Sample, degrees: tuple[int, ...], rank: int | None, seed: int, most: int = MOST
) -> tuple[Frame, dict[int, Tensor]]:
    """The frame to search in, by the samples that search: as many directions as their moments are clear about."""
    best: tuple[float, Frame, dict[int, Tensor]] | None = None
    principal = principal_directions(sample.x)
    for each in [rank] if rank is not None else principal.ranks(most):  # the largest first
        frame = principal.frame(each)
        frame, blocks = clearest_first(frame, sample.moments(frame, degrees, seed))
        clear = weakest_direction(blocks, len(sample.x))
        if best is None or clear > best[0]:
            best = clear, frame, blocks
        if clear >= CLEAR:
            break
    assert best is not None
    return best[1], best[2]


def _flat(moment: Tensor) -> Tensor:
    return moment.flatten(2) if moment.ndim > 2 else moment.unsqueeze(2)
