"""Operators on patches of one axis and of three, recovered from banks by `lgn.fit_generator`."""

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import torch

import lgn
from lgn.actions import orbit
from lgn.transforms import parse_operator
from studies.runner import Cell

SEEDS, NOISES = 5, (0.0, 1e-4)
OPERATORS = {
    "shift 1": (9,),
    "reversal": (9,),
    "stretch 2": (9,),
    "turn 3 90": (3, 3, 3),
    "mirror 2": (3, 3, 3),
}


def cells(quick: bool) -> Iterator[Cell]:
    for seed in range(1 if quick else SEEDS):
        for words, patch in OPERATORS.items():
            for noise in NOISES:
                key = {"operator": words, "patch": list(patch), "noise": noise, "seed": seed}
                yield Cell(key, partial(measure, words, patch, noise, seed))


def measure(words: str, patch: tuple[int, ...], noise: float, seed: int) -> dict[str, Any]:
    """`|A - A*| / |A*|` from sets `[W, A* W]`, four for each dimension."""
    generator = torch.Generator().manual_seed(seed)
    matrix = parse_operator(words, patch)
    bases = torch.randn(4 * math.prod(patch), 1, *patch, generator=generator, dtype=torch.float64)
    bank = orbit(matrix, bases, 2, len(patch)).transpose(0, 1).flatten(0, 1)
    bank = bank + noise * torch.randn(bank.shape, generator=generator, dtype=torch.float64)
    fit = lgn.fit_generator(bank, group=2, seed=seed)
    return {"error": float((fit.matrix - matrix).norm() / matrix.norm()), "p_value": fit.p_value}
