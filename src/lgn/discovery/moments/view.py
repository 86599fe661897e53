"""Samples as they look in a whitening of their own, turned to be near that of others."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from lgn.discovery.moments.search import polish
from lgn.discovery.moments.significance import Blocks
from lgn.discovery.moments.split import Sample, mean_moments
from lgn.discovery.moments.whitening import Frame, principal_directions
from lgn.linalg import polar_factor

Classes = tuple[int, ...]  # where every class goes


@dataclass(frozen=True, eq=False)
class View:
    """A frame, and the moments of some samples in it."""

    frame: Frame
    blocks: Blocks
    moments: dict[int, Tensor]
    samples: int

    @classmethod
    def of(cls, sample: Sample, like: Frame, blocks_in: Callable[[Sample, Frame], Blocks]) -> "View":
        """The whitening of these samples, turned to be near another frame, and their blocks in it."""
        own = principal_directions(sample.x).frame(like.rank)
        frame = own.turned(polar_factor(like.to @ own.back))
        blocks = blocks_in(sample, frame)
        return cls(frame, blocks, mean_moments(blocks), len(sample.x))

    def polished(self, matrices: Tensor, classes: Classes | None) -> Tensor:
        """The solutions on these samples nearest to maps of x.  (count, d, d) -> (count, r, r)"""
        target = None if classes is None else permuted(self.moments, classes)
        return polish(polar_factor(self.frame.lower(matrices)), self.moments, target)


def permuted(moments: Mapping[int, Tensor], classes: Classes, axis: int = 0) -> dict[int, Tensor]:
    """The moments that class c should have after it went where `classes` says: those of class `classes[c]`."""
    index = torch.tensor(classes)
    return {  # moments of all classes together stay as they are
        degree: each.index_select(axis, index) if each.shape[axis] == len(index) else each
        for degree, each in moments.items()
    }
