"""The division into samples that train and samples that test; near-duplicates and blocks stay together."""

import torch
from torch import Tensor

from lgn.actions import signed_permutations
from lgn.data import generator_for
from lgn.discovery.observers.observer import POOLS
from lgn.transforms import move_axes

#: The share of clusters that test.
HELD_OUT = 0.4
#: Two samples are near-duplicates if their small copies differ by less than this share of their contrast.
NEAR = 0.05
#: The sides of the small copies by the number of axes, and the number of samples in a batch.
_SIDES, _BATCH = {1: 32, 2: 8, 3: 4}, 2000


def divide(clusters: Tensor, held_out: float, seed: int) -> tuple[Tensor, Tensor]:
    """The sorted indices of the samples that train and of those that test; the samples of a cluster stay together."""
    numbers = clusters.unique()
    order = numbers[torch.randperm(len(numbers), generator=generator_for("symmetry division", seed))]
    tests = torch.isin(clusters, order[: max(round(held_out * len(order)), 1)])
    return (~tests).nonzero().flatten(), tests.nonzero().flatten()


def near_duplicates(samples: Tensor) -> Tensor:
    """The cluster of every sample: the index of its first near-duplicate, or its own index.

    Copies under quarter turns and flips count, because data sets are often augmented by them.

    Shapes: (N, C, ...) -> (N,), on the CPU
    """
    axes = samples.ndim - 2
    small = POOLS[axes](samples.float(), _SIDES[axes])
    small = small - small.flatten(1).mean(1).view(-1, *(1,) * (axes + 1))
    contrast = small.flatten(1).norm(dim=1)
    versions = [move_axes(small, signed) for signed in signed_permutations(axes)]
    indices = torch.arange(len(samples), device=samples.device)
    first_copy = indices.clone()
    for first in range(0, len(samples), _BATCH):
        part, earlier = slice(first, first + _BATCH), slice(0, first + _BATCH)
        scale = (contrast[part, None] + contrast[None, earlier]) / 2
        enough = contrast[part, None] ** 2 + contrast[None, earlier] ** 2 - (NEAR * scale) ** 2
        near = indices[part, None] == indices[None, earlier]
        for version in versions:
            near |= 2 * small[part].flatten(1) @ version[earlier].flatten(1).T >= enough
        first_copy[part] = near.byte().argmax(1)
    while True:
        further = first_copy[first_copy]
        if torch.equal(further, first_copy):
            return further.cpu()
        first_copy = further


def joined(clusters: Tensor, blocks: Tensor) -> Tensor:
    """The smallest clusters that contain whole clusters and whole blocks.  (N,), (N,) -> (N,)"""
    partitions = [partition.unique(return_inverse=True)[1] for partition in (clusters, blocks)]
    joint = clusters
    while True:
        before = joint
        for partition in partitions:
            smallest = torch.full_like(joint, len(joint)).scatter_reduce(0, partition, joint, "amin")
            joint = smallest[partition]
        if torch.equal(joint, before):
            return joint
