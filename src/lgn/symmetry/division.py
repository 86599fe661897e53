"""Images to learn from and images to judge with: near-duplicates, turned or not, are on one side."""

import torch
from torch import Tensor
from torch.nn import functional as F

from lgn.data import generator_for

HELD_OUT = 0.4
#: Two images are near-duplicates if small copies differ by less than this share of their contrast.
NEAR = 0.05
_SMALL, _PIECE = 8, 2000


def divide(images: Tensor, clusters: Tensor, held_out: float, seed: int) -> tuple[Tensor, Tensor]:
    """Which images are learned from and which judge; all of a cluster together.  -> two sorted index vectors"""
    numbers = clusters.unique()
    order = numbers[torch.randperm(len(numbers), generator=generator_for("symmetry division", seed))]
    judging = order[: max(round(held_out * len(order)), 1)]
    judges = torch.isin(clusters, judging)
    places = torch.arange(len(images))
    return places[~judges], places[judges]


def near_duplicates(images: Tensor) -> Tensor:
    """The number of the cluster that each image belongs to: that of its first near-duplicate, or its own.

    Copies that are turned or reflected by quarters count: a set that was enlarged by them has both.

    Shapes: (N, C, H, W) -> (N,)
    """
    small = F.adaptive_avg_pool2d(images.float(), _SMALL)
    small = small - small.mean((1, 2, 3), keepdim=True)
    contrast = small.flatten(1).norm(dim=1)
    versions = [torch.rot90(each, quarters, (-2, -1)) for each in (small, small.flip(-1)) for quarters in range(4)]
    first_copy = torch.arange(len(images))
    for first in range(0, len(images), _PIECE):
        part, earlier = slice(first, first + _PIECE), slice(0, first + _PIECE)
        scale = (contrast[part, None] + contrast[None, earlier]) / 2
        enough = contrast[part, None] ** 2 + contrast[None, earlier] ** 2 - (NEAR * scale) ** 2
        near = torch.zeros_like(enough, dtype=torch.bool)  # (part, earlier)
        for version in versions:
            near |= 2 * small[part].flatten(1) @ version[earlier].flatten(1).T >= enough
        near |= torch.arange(near.shape[1]) == torch.arange(first, first + len(near))[:, None]
        first_copy[part] = near.byte().argmax(1)
    while True:
        further = first_copy[first_copy]
        if torch.equal(further, first_copy):
            return further
        first_copy = further
