"""Through a maximum: only `max_j <phi^j W_k, x>` of each set is seen."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor

from lgn.actions import orbit, unvec, vec
from lgn.discovery.filters.responses import bank_from_maxima
from studies.recovery.paper import train_bank
from studies.recovery.planted import ORDER, PATCH, fit_quietly, planted_generator, some_patches
from studies.runner import Cell

PATCHES = 6000


def cells(quick: bool) -> Iterator[Cell]:
    """Rotation by 90 degrees, for several numbers of sets."""
    source = "digits" if quick else "cifar10"
    for sets in (32,) if quick else (16, 32, 48):
        for seed in range(1 if quick else 3):
            for method in ("max-affine", "paper"):
                key = {"task": "rotation 90", "data": source, "sets": sets, "method": method, "seed": seed}
                steps = 100 if quick else 600
                yield Cell(key, partial(measure, source, sets, seed, method, steps))


def measure(source: str, sets: int, seed: int, method: str, steps: int = 600) -> dict[str, Any]:
    """The relative error of the generator, or of its inverse: a maximum does not show the direction of the turn."""
    matrix = planted_generator("rotation 90", seed)
    x = some_patches(source, seed)[:PATCHES]
    basis = torch.randn(sets, 1, *PATCH, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    bank = vec(orbit(matrix, basis, ORDER).transpose(0, 1))[:, :, 0]  # (sets, order, d)
    maxima = torch.einsum("nd,kpd->nkp", x, bank).amax(-1)
    if method == "paper":
        found = _paper(x, maxima, sets, steps, seed)
        return {"error": min(relative(each, matrix) for each in found), "solved_sets": None}
    filters, residuals = bank_from_maxima(x, maxima, ORDER, seed=seed)
    solved = residuals < 1e-6
    if int(solved.sum()) < 2:
        return {"error": None, "solved_sets": int(solved.sum())}
    fit = fit_quietly(unvec(filters[solved], PATCH).flatten(0, 1).unsqueeze(1), "unordered", shuffles=1)
    return {"error": relative(fit.matrix, matrix), "solved_sets": int(solved.sum()), "residual": fit.residual}


def relative(found: Tensor, matrix: Tensor) -> float:
    """The distance to the matrix or to its inverse, whichever is nearer, relative to it."""
    targets = (matrix, torch.linalg.inv(matrix))
    return min(float((found - target).norm() / target.norm()) for target in targets)


def _paper(x: Tensor, maxima: Tensor, sets: int, steps: int, seed: int) -> Tensor:
    x, maxima = x[:2000], maxima[:2000]

    def loss(filters: Tensor) -> Tensor:
        found = torch.einsum("nd,kpd->nkp", x, vec(filters)[:, 0].unflatten(0, (sets, ORDER))).amax(-1)
        return (found - maxima).square().mean() / maxima.square().mean()

    return train_bank(sets, ORDER, PATCH, loss, steps, seed).generator.matrix()[:, 0].detach()
