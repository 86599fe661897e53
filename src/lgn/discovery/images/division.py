"""Images to learn from and images to judge with: near-duplicates, turned or not, are on one side."""

import torch
from torch import Tensor

from lgn.actions import signed_permutations
from lgn.data import generator_for
from lgn.discovery.images.observer import POOLS
from lgn.transforms import move_axes

HELD_OUT = 0.4
#: Two images are near-duplicates if small copies differ by less than this share of their contrast.
NEAR = 0.05
_SMALL, _PIECE = {1: 32, 2: 8, 3: 4}, 2000


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
    axes = images.ndim - 2
    small = POOLS[axes](images.float(), _SMALL[axes])
    small = small - small.flatten(1).mean(1).view(-1, *(1,) * (axes + 1))
    contrast = small.flatten(1).norm(dim=1)
    versions = [move_axes(small, signed) for signed in signed_permutations(axes)]
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
