"""Banks of filters without orbits: whether a group is found all the same, and whether they are called balanced."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor

from lgn.answer import Row
from lgn.discovery.networks.findings import inspect_layer
from studies.inspection import filters
from studies.runner import Cell

Maker = Callable[[torch.Generator, int, int, int], Tensor]
#: Filters, channels and pixels, in turn: half of the banks are as large as the first layer of a ResNet.
SHAPES = ((64, 3, 7), (64, 1, 9), (64, 3, 7), (48, 3, 5), (64, 3, 7), (96, 3, 7))
FALSE_CALLS, RIGHT_CALLS = 0.1, 0.9  # the bounds for any family
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
#: What banks should be called under every turn, flip and transposition.
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


def unrelated(quick: bool) -> Iterator[Cell]:
    for name, make in FAMILIES.items():
        for seed in range(2 if quick else 60):
            yield Cell({"input": name, "seed": seed}, partial(measure_unrelated, make, seed))


def measure_unrelated(make: Maker, seed: int) -> dict[str, Any]:
    """Whether a twin group is found, or any other twins, and how many filters look like copies."""
    generator = torch.Generator().manual_seed(10_000 + seed)
    found = inspect_layer(make(generator, *SHAPES[seed % len(SHAPES)]), seed=seed)
    square = [row for row in found.rows if is_square(row)]
    return {
        "rate": float(found.group.order > 1 or any(row.verdict == "kept" for row in square)),
        "limit": FALSE_CALLS,
        "count": 1,
        "others": float(any(row.verdict == "kept" for row in found.rows if not is_square(row))),
        "lookalikes": (found.lookalikes or 0) / max(1, len(found.bank.filters)),
        "largest gap": max(row.evidence[0].value for row in square),
    }


def is_square(row: Row) -> bool:
    """Whether the transformation is a turn, a flip or a transposition."""
    return row.of("balance") is not None


def balance_of(row: Row) -> str:
    """The word of the stored results for the verdict on balance."""
    found = row.of("balance")
    return "" if found is None else BALANCE_WORDS[str(found.verdict)]


def balance(quick: bool) -> Iterator[Cell]:
    for kind, (make, expected) in BALANCE.items():
        for seed in range(1 if quick else 20):
            key = {"kind": kind, "should be": expected, "seed": seed}
            yield Cell(key, partial(measure_balance, make, expected, seed))


def measure_balance(make: Maker, expected: str, seed: int) -> dict[str, Any]:
    found = inspect_layer(make(torch.Generator().manual_seed(30_000 + seed), 64, 3, 7), seed=seed)
    unasked = KEPT_BY_TILTED if expected == "broken" else ()
    answers = [balance_of(row) for row in found.rows if is_square(row) and row.name not in unasked]
    right = sum(answer == expected for answer in answers) / len(answers)
    opposite = OPPOSITE.get(expected)
    wrong = sum(answer == opposite if opposite else answer != "neither" for answer in answers) / len(answers)
    return {"rate": right, "at_least": RIGHT_CALLS, "count": 1, "opposite": wrong}
