"""Generators of a group from a bank of filters: planted groups, noise, elements in any order, and unrelated filters."""

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import torch
from torch import Tensor

from lgn import groups
from lgn.actions import unvec
from lgn.discovery.filters import fit_generator
from lgn.groups import Group
from lgn.groups.isomorphism import homomorphism
from lgn.transforms import operator
from studies.runner import Cell

PATCH, SETS = (6, 6), 32
TASKS = ("D4", "C2 x C2", "S3 on channels", "C3 by blocks", "S3 x C2 by blocks")


def cells(quick: bool) -> Iterator[Cell]:
    """Groups x noise x methods x seeds, and filters that are no orbits."""
    for task, noise, seed in product(TASKS, (0.0, 0.05), range(1 if quick else 4)):
        for method in ("least-squares", "relations", "unordered"):
            key = {"task": task, "noise": noise, "method": method, "seed": seed}
            yield Cell(key, partial(measure, task, noise, method, seed))
    for task, seed in product(TASKS, range(1 if quick else 4)):
        key = {"task": task, "noise": "unrelated", "method": "relations", "seed": seed}
        yield Cell(key, partial(measure, task, None, "relations", seed))


def measure(task: str, noise: float | None, method: str, seed: int) -> dict[str, Any]:
    """The relative error of the generators (up to relabelling, if unordered), and how far the relations are from kept.

    Of filters that are unrelated there is only the p-value to tell.
    """
    group, matrices, patch = planted(task)
    bank = make_bank(group, matrices, patch, noise, seed, shuffled=method == "unordered")
    # Chance is asked where it is told of: where elements are in no order, every shuffled bank is solved for them too.
    shuffles = 1 if method == "unordered" else 19
    fit = fit_generator(bank, group=group, method=method, shuffles=shuffles)  # type: ignore[arg-type]
    error = None
    if noise is not None:
        error = min(
            float((fit.matrices - true).norm() / true.norm())
            for true in (relabelled(group, matrices) if method == "unordered" else [matrices])
        )
    return {"error": error, "relation_error": fit.relation_error, "p_value": fit.p_value}


def planted(task: str) -> tuple[Group, Tensor, tuple[int, int]]:
    """The group, the matrices of its generators (g, d, d), and the patch that they act on."""
    rows, columns = (operator("reflection", PATCH, axis=axis) for axis in ("rows", "columns"))
    if task == "D4":
        return groups.dihedral(4), torch.stack([operator("rotation", PATCH, degrees=90), columns]), PATCH
    if task == "C2 x C2":
        return groups.as_group("C2 x C2"), torch.stack([rows, columns]), PATCH
    if task == "S3 on channels":  # three channels for the pixels, and pixels for the channels
        return groups.symmetric(3), torch.stack([_blocks((1, 0, 2), 1), _blocks((0, 2, 1), 1)]), (3, 1)
    if task == "C3 by blocks":
        return groups.cyclic(3), _blocks((1, 2, 0), 12)[None], PATCH
    group = groups.symmetric(3) * groups.cyclic(2)
    return group, torch.stack([_blocks((1, 0, 2), 12), _blocks((0, 2, 1), 12), rows]), PATCH


def make_bank(
    group: Group, matrices: Tensor, patch: tuple[int, int], noise: float | None, seed: int, shuffled: bool = False
) -> Tensor:
    """Orbits of random bases with noise, as a share of the filters' size; no orbits at all for None.

    -> (sets * order, channels, n, m)
    """
    random = torch.Generator().manual_seed(seed)
    channels = 9 if patch == (3, 1) else 1
    bases = torch.randn(SETS, channels, patch[0] * patch[1], generator=random, dtype=torch.float64)
    filters = torch.einsum("gij,kcj->kgci", group.representation(matrices), bases)
    strength = 1.0 if noise is None else noise * float(filters.std())
    added = strength * torch.randn(filters.shape, generator=random, dtype=torch.float64)
    filters = added if noise is None else filters + added
    if shuffled:
        filters = torch.stack([each[torch.randperm(group.order, generator=random)] for each in filters])
    return unvec(filters, patch).flatten(0, 1)


def relabelled(group: Group, matrices: Tensor) -> list[Tensor]:
    """The generators under every automorphism of the group: what labels that are solved for leave open."""
    rho = group.representation(matrices)
    rows = group.table.tolist()
    to_itself = partial(homomorphism, rows, group.generator_elements, group.tree, rows)
    images = [g for g in product(range(group.order), repeat=len(group.generators)) if to_itself(g)]
    return [rho[list(each)] for each in images]


def _blocks(permutation: tuple[int, ...], size: int) -> Tensor:
    """Blocks of so many pixels, moved to other places."""
    return torch.kron(torch.eye(len(permutation))[list(permutation)], torch.eye(size)).double()
