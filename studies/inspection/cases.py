"""Banks of filters with and without orbits, and pairs of layers: the groups that are found in them."""

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from lgn.discovery.networks.layer_inspection import inspect_layer
from lgn.discovery.networks.next_layer import continuations
from lgn.transforms import act_square
from studies.inspection import filters
from studies.inspection.filters import gabors, normal, unit
from studies.runner import Cell, grid

Maker = Callable[[torch.Generator, int, int, int], Tensor]
#: Filters, channels and pixels, in turn: half of the banks are as large as the first layer of a ResNet.
SHAPES = ((64, 3, 7), (64, 1, 9), (64, 3, 7), (48, 3, 5), (64, 3, 7), (96, 3, 7))
FAMILIES: dict[str, Maker] = {
    "Gabors": filters.gabors,
    "cardinal Gabors": filters.cardinal_gabors,
    "smoothed noise": filters.smoothed_noise,
    "decorrelated": filters.decorrelated,
    "farthest-point": filters.farthest_point,
    "phase-randomised": filters.random_phases,
    "untrained networks": filters.untrained_network,
    "smoothed networks": filters.smoothed_network,
    "spread cardinal Gabors": filters.spread_cardinal_gabors,
    "edges and blobs": filters.edges_and_blobs,
}
#: The right answer for banks under every turn, flip and transposition.
BALANCE: dict[str, tuple[Maker, str]] = {
    "Gabors of any angle": (filters.gabors, "balanced"),
    "cardinal Gabors": (filters.cardinal_gabors, "balanced"),
    "Gabors of 0 to 60 degrees": (filters.tilted_gabors, "broken"),
    "smoothed noise": (filters.smoothed_noise, "neither"),
    "untrained networks": (filters.untrained_network, "neither"),
}
KEPT_BY_TILTED = ("turn 180", "transposition", "antitransposition")  # these map angles of 0 to 60 degrees to themselves
OPPOSITE = {"balanced": "broken", "broken": "balanced"}
#: The words of the stored results for the verdicts on balance.
BALANCE_WORDS = {"kept": "balanced", "broken": "broken", "undecided": "neither"}
#: Elements of D4, as `lgn.transforms.act_square` counts them.
GROUPS = {"flip": (4,), "C4": (1, 2, 3), "D4": (1, 2, 3, 4, 6, 5, 7)}
SIZES = ((64, 32), (64, 16), (32, 24), (16, 16))  # filters, and how many of them are in orbits, in the harder cases
NOISE = 0.1  # of two layers


def unrelated(quick: bool) -> Iterator[Cell]:
    return grid(measure_unrelated, input=FAMILIES, seed=range(2 if quick else 60))


def measure_unrelated(input: str, seed: int) -> dict[str, Any]:
    """Whether a twin group is found, or any other twins, and how many filters look like copies."""
    generator = torch.Generator().manual_seed(10_000 + seed)
    found = inspect_layer(FAMILIES[input](generator, *SHAPES[seed % len(SHAPES)]), seed=seed)
    square = [row for row in found.rows if row.of("balance")]
    return {
        "rate": float(found.group.order > 1 or any(row.verdict == "kept" for row in square)),
        "limit": 0.1,
        "count": 1,
        "others": float(any(row.verdict == "kept" for row in found.rows if not row.of("balance"))),
        "lookalikes": (found.lookalikes or 0) / max(1, len(found.bank.filters)),
        "largest gap": max(row.evidence[0].value for row in square),
    }


def balance(quick: bool) -> Iterator[Cell]:
    for kind, (_, expected) in BALANCE.items():
        yield from grid(measure_balance, kind=[kind], seed=range(1 if quick else 20), **{"should be": [expected]})


def measure_balance(kind: str, seed: int, **_: str) -> dict[str, Any]:
    """The share of transformations with the right answer, and with the opposite one."""
    make, expected = BALANCE[kind]
    bank = make(torch.Generator().manual_seed(30_000 + seed), 64, 3, 7)
    unasked = KEPT_BY_TILTED if expected == "broken" else ()
    rows = [row for row in inspect_layer(bank, seed=seed).rows if row.name not in unasked]
    answers = [BALANCE_WORDS[str(found.verdict)] for row in rows if (found := row.of("balance"))]
    right = sum(answer == expected for answer in answers) / len(answers)
    opposite = OPPOSITE.get(expected)
    wrong = sum(answer == opposite if opposite else answer != "neither" for answer in answers) / len(answers)
    return {"rate": right, "at_least": 0.9, "count": 1, "opposite": wrong}


def orbits(quick: bool) -> Iterator[Cell]:
    """48 of 64 filters in orbits, then fewer in orbits and fewer filters."""
    usual = {"count": 64, "inside": 48, "bound": {"at_least": 0.9}}
    noises, seeds = ((0.2,), 2) if quick else ((0.05, 0.1, 0.2), 20)
    yield from grid(measure_orbits, usual, kind=GROUPS, noise=noises, seed=range(seeds))
    for count, inside in () if quick else SIZES:
        harder = {"count": count, "inside": inside, "bound": {}}
        key = {"in orbits": [inside], "of": [count]}
        yield from grid(measure_orbits, harder, kind=GROUPS, noise=[0.1], seed=range(10), **key)


def measure_orbits(
    kind: str, noise: float, seed: int, count: int, inside: int, bound: dict[str, float], **_: int
) -> dict[str, Any]:
    """Whether the group is right, and the share of filters that are with just their mates, or rightly outside."""
    bank, orbit = planted(torch.Generator().manual_seed(20_000 + seed), kind, count, inside, noise)
    found = inspect_layer(bank, seed=seed)
    right = set(found.group.elements[1:]) == set(GROUPS[kind])
    mates = torch.full((count,), -1)
    for number, members in enumerate(found.orbits):
        mates[list(members.values())] = number
    together, belong = (((one[:, None] == one) & (one[:, None] >= 0)).fill_diagonal_(False) for one in (mates, orbit))
    members_right = float((together == belong).all(1).double().mean())
    return {"rate": float(right), **bound, "count": 1, "members": members_right, "power": found.power}


def planted(generator: torch.Generator, group: str, count: int, inside: int, noise: float) -> tuple[Tensor, Tensor]:
    """A bank of which `inside` filters are orbits of Gabors, with noise, in random order and of random sign.

    -> (filters, 3, 7, 7), and the orbit of each filter, -1 outside
    """
    elements = GROUPS[group]
    size = 1 + len(elements)
    sets = inside // size
    bases = unit(gabors(generator, count, 3, 7))
    moved = torch.stack([bases[:sets], *(act_square(bases[:sets], element) for element in elements)], 1).flatten(0, 1)
    bank = torch.cat([moved, bases[sets : sets + count - len(moved)]])
    added = F.normalize(normal(generator, *bank.shape).flatten(1), dim=1).reshape(bank.shape)
    signs = torch.randint(0, 2, (count, 1, 1, 1), generator=generator).double().mul(2).sub(1)
    order = torch.randperm(count, generator=generator)
    orbit = torch.cat([torch.arange(sets).repeat_interleave(size), torch.full((count - len(moved),), -1)])
    return (signs * (bank + noise * added))[order], orbit[order]


def following(quick: bool) -> Iterator[Cell]:
    kinds = ("equivariant under C4", "unrelated", "unrelated, alike filters used alike")
    return grid(measure_following, kind=kinds, seed=range(1 if quick else 20))


def measure_following(kind: str, seed: int) -> dict[str, Any]:
    """Whether a permutation of channels is found for just the turns of two layers, and none for unrelated layers."""
    generator = torch.Generator().manual_seed(40_000 + seed)
    if kind == "equivariant under C4":
        found = continuations(*equivariant(generator), seed=seed)
        right = {one.name for one in found if one.continues} == {"turn 90", "turn 180"}
        cosine = next(one.cosine for one in found if one.name == "turn 90")
        return {"rate": float(right), "at_least": 0.9, "count": 1, "cosine": cosine}
    first = unit(gabors(generator, 32, 3, 7))
    second = normal(generator, 16, 32, 3, 3)
    if kind != "unrelated":  # similar filters are used alike, whatever T is: sign and all
        likeness = first.flatten(1) @ first.flatten(1).T
        second = torch.einsum("ocnm,cd->odnm", second, likeness)
    found = continuations(first, second, seed=seed)
    highest = max(one.cosine for one in found)
    return {"rate": float(any(one.continues for one in found)), "limit": 0.1, "count": 1, "cosine": highest}


def equivariant(generator: torch.Generator, bases: int = 8, outputs: int = 4) -> tuple[Tensor, Tensor]:
    base = unit(gabors(generator, bases, 3, 7))
    first = torch.cat([base.rot90(k, (-2, -1)) for k in range(4)])  # filter k * bases + i
    seed = normal(generator, outputs, 4 * bases, 3, 3)
    second = torch.cat([seed.roll(bases * k, 1).rot90(k, (-2, -1)) for k in range(4)])
    order, others = (torch.randperm(size, generator=generator) for size in (len(first), len(second)))
    second = second + NOISE * normal(generator, *second.shape)
    return first[order] + NOISE * unit(normal(generator, *first.shape)), second[:, order][others]
