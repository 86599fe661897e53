"""Two layers: is a permutation of channels found that goes with a turn, and none where there is none?"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor

from lgn.discovery.networks.next_layer import continuations
from studies.inspection.filters import gabors, normal, unit
from studies.runner import Cell

BANKS = 20
NOISE = 0.1


def cells(quick: bool) -> Iterator[Cell]:
    for kind in ("equivariant under C4", "unrelated", "unrelated, alike filters used alike"):
        for seed in range(1 if quick else BANKS):
            yield Cell({"kind": kind, "seed": seed}, partial(measure, kind, seed))


def measure(kind: str, seed: int) -> dict[str, Any]:
    """Whether just the turns go on, or nothing."""
    generator = torch.Generator().manual_seed(40_000 + seed)
    if kind == "equivariant under C4":
        found = continuations(*equivariant(generator), seed=seed)
        right = {one.name for one in found if one.continues} == {"turn 90", "turn 180"}
        cosine = next(one.cosine for one in found if one.name == "turn 90")
        return {"rate": float(right), "at_least": 0.9, "count": 1, "cosine": cosine}
    first = unit(gabors(generator, 32, 3, 7))
    second = normal(generator, 16, 32, 3, 3)
    if kind != "unrelated":  # what resembles is used alike, whatever T is: sign and all
        likeness = first.flatten(1) @ first.flatten(1).T
        second = torch.einsum("ocnm,cd->odnm", second, likeness)
    found = continuations(first, second, seed=seed)
    highest = max(one.cosine for one in found)
    return {"rate": float(any(one.continues for one in found)), "limit": 0.1, "count": 1, "cosine": highest}


def equivariant(generator: torch.Generator, bases: int = 8, outputs: int = 4) -> tuple[Tensor, Tensor]:
    """Two layers that commute with quarter turns, with noise, their filters in random order."""
    base = unit(gabors(generator, bases, 3, 7))
    first = torch.cat([base.rot90(k, (-2, -1)) for k in range(4)])  # filter k * bases + i
    seed = normal(generator, outputs, 4 * bases, 3, 3)
    second = torch.cat([seed.roll(bases * k, 1).rot90(k, (-2, -1)) for k in range(4)])
    order, others = (torch.randperm(size, generator=generator) for size in (len(first), len(second)))
    second = second + NOISE * normal(generator, *second.shape)
    return first[order] + NOISE * unit(normal(generator, *first.shape)), second[:, order][others]
