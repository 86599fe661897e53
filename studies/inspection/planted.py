"""Banks with orbits in them: is their group found, and who is a member?"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from lgn.discovery.networks.findings import inspect_layer
from lgn.transforms import act_square
from studies.inspection.filters import gabors, normal, unit
from studies.runner import Cell

#: Elements of D4, as `lgn.transforms.act_square` counts them.
GROUPS = {"flip": (4,), "C4": (1, 2, 3), "D4": (1, 2, 3, 4, 6, 5, 7)}
NAMES = {"flip": "C2", "C4": "C4", "D4": "D4"}
NOISES = (0.05, 0.1, 0.2)
BANKS = 20


def cells(quick: bool) -> Iterator[Cell]:
    """48 of 64 filters in orbits, and harder cases: fewer in orbits, fewer filters."""
    for group in GROUPS:
        for noise in NOISES[-1:] if quick else NOISES:
            for seed in range(2 if quick else BANKS):
                key = {"kind": group, "noise": noise, "seed": seed}
                yield Cell(key, partial(measure, group, 64, 48, noise, seed, {"at_least": 0.9}))
    if not quick:
        for group, (count, inside) in ((g, s) for g in GROUPS for s in ((64, 32), (64, 16), (32, 24), (16, 16))):
            for seed in range(10):
                key = {"kind": group, "noise": 0.1, "in orbits": inside, "of": count, "seed": seed}
                yield Cell(key, partial(measure, group, count, inside, 0.1, seed, {}))


def measure(group: str, count: int, inside: int, noise: float, seed: int, bound: dict[str, float]) -> dict[str, Any]:
    """Whether the group is right, and the share of filters that are with just their mates, or rightly outside."""
    bank, orbit = planted(torch.Generator().manual_seed(20_000 + seed), group, count, inside, noise)
    found = inspect_layer(bank, seed=seed)
    right = found.group.name == NAMES[group] and set(found.group.elements[1:]) == set(GROUPS[group])
    mates = torch.full((count,), -1)
    for number, members in enumerate(found.orbits):
        mates[list(members.values())] = number
    together = (mates[:, None] == mates) & (mates[:, None] >= 0)
    belong = (orbit[:, None] == orbit) & (orbit[:, None] >= 0)
    return {
        "rate": float(right),
        **bound,
        "count": 1,
        "members": float((together.fill_diagonal_(False) == belong.fill_diagonal_(False)).all(1).double().mean()),
        "power": found.power,
    }


def planted(
    generator: torch.Generator, group: str, count: int, inside: int, noise: float, channels: int = 3, n: int = 7
) -> tuple[Tensor, Tensor]:
    """A bank of which `inside` filters are orbits of Gabors, with noise, in random order and of random sign.

    -> (filters, channels, n, n), and the orbit of each filter, -1 outside
    """
    size = 1 + len(GROUPS[group])
    sets = inside // size
    bases = unit(gabors(generator, count, channels, n))
    orbits = torch.stack([bases[:sets], *(act_square(bases[:sets], g) for g in GROUPS[group])], 1).flatten(0, 1)
    bank = torch.cat([orbits, bases[sets : sets + count - len(orbits)]])
    added = F.normalize(normal(generator, *bank.shape).flatten(1), dim=1).reshape(bank.shape)
    signs = torch.randint(0, 2, (count, 1, 1, 1), generator=generator).double().mul(2).sub(1)
    order = torch.randperm(count, generator=generator)
    orbit = torch.cat([torch.arange(sets).repeat_interleave(size), torch.full((count - len(orbits),), -1)])
    return (signs * (bank + noise * added))[order], orbit[order]
