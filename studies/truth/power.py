"""Structures and operators that are there, under as much noise: are they found, and is the right one named first?"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor

from lgn.analysis import analyze_matrices
from lgn.transforms import operator
from studies.runner import Cell, grid
from studies.truth.matrices import PATCH, D, smooth_matrices, white

NOISES: dict[str, Callable[[int, torch.Generator], Tensor]] = {
    "white": white,
    "smooth, 1 px": partial(smooth_matrices, 1.0),
}
SHARE = 0.6
AT_LEAST = 0.95


def cells(quick: bool) -> Iterator[Cell]:
    count, draws = (5, 200) if quick else (40, 1000)
    noises = ("white",) if quick else tuple(NOISES)
    yield from grid(measure_structure, {"count": count, "draws": draws}, noise=noises, input=STRUCTURES)
    yield from grid(measure_operator, {"count": count // 5, "draws": draws}, noise=noises, input=OPERATORS)
    yield from grid(measure_operator, {"count": 1, "draws": draws}, noise=["none"], input=OPERATORS)


def measure_structure(input: str, noise: str, count: int, draws: int) -> dict[str, Any]:
    """The share of matrices whose structure is found, and of those in which it is named first."""
    random = torch.Generator().manual_seed(0)
    matrices = SHARE * _unit(STRUCTURES[input](count, random)) + SHARE * _unit(NOISES[noise](count, random))
    analysis = analyze_matrices(matrices, patch=PATCH, draws=draws)
    names = [[finding.name for finding in generator.findings] for generator in analysis.generators]
    found, first = sum(input in found for found in names), sum(found[:1] == [input] for found in names)
    # Quadrants that have a sign are what smooth halves of filters give, so their rate has no bound.
    bound = {} if input == "multi-scale" else {"at_least": AT_LEAST}
    return {"rate": found / count, "first": first / count, **bound, "count": count}


def measure_operator(input: str, noise: str, count: int, draws: int) -> dict[str, Any]:
    random = torch.Generator().manual_seed(1)
    family, keywords = OPERATORS[input]
    matrices = _unit(operator(family, PATCH, **keywords).expand(count, D, D))
    if noise != "none":
        matrices = SHARE * matrices + SHARE * _unit(NOISES[noise](count, random))
    analysis = analyze_matrices(matrices, patch=PATCH, draws=draws)
    rate = analysis.false_discovery_rate
    beyond = [{m.name for m in generator.nearest if m.adjusted_p_value <= rate} for generator in analysis.generators]
    found = sum(family in names for names in beyond)
    first = sum(generator.nearest[0].name == family for generator in analysis.generators)
    return {"rate": found / count, "first": first / count, "at_least": AT_LEAST, "count": count}


def _unit(matrices: Tensor) -> Tensor:
    return matrices / matrices.norm(dim=(-2, -1), keepdim=True)


def _by_offset(offset: Tensor, count: int, random: torch.Generator) -> Tensor:
    return white(count, random, int(offset.max()) + 1)[:, offset]


def _offsets(wraps: bool, two_dimensional: bool) -> Tensor:
    place = torch.arange(D)
    n, m = PATCH if two_dimensional else (D, 1)
    row, column = place % n, place // n
    down, right = row[:, None] - row, column[:, None] - column
    return (down % n) * m + right % m if wraps else (down + n - 1) * (2 * m - 1) + right + m - 1


def _symmetric(sign: int, count: int, random: torch.Generator) -> Tensor:
    matrices = white(count, random)
    return matrices + sign * matrices.mT


def _kronecker(count: int, random: torch.Generator) -> Tensor:
    columns, rows = (white(count, random, side, side) for side in reversed(PATCH))
    return torch.einsum("cij,ckl->cikjl", columns, rows).reshape(count, D, D)


def _permutations(count: int, random: torch.Generator) -> Tensor:
    return torch.eye(D, dtype=torch.float64)[torch.rand(count, D, generator=random).argsort(1)]


def _signed_sides(count: int, random: torch.Generator) -> Tensor:
    matrices = white(count, random).abs()
    return matrices.triu(1) - matrices.tril(-1)


def _quadrants(count: int, random: torch.Generator) -> Tensor:
    signs = torch.randint(2, (count, 2, 2), generator=random).double() * 2 - 1
    spread = signs.repeat_interleave(D // 2, 1).repeat_interleave(D // 2, 2)
    return spread * white(count, random).abs()


def _blocks(count: int, random: torch.Generator) -> Tensor:
    chosen = torch.rand(count, D, generator=random).argsort(1)[:, :4]
    mask = torch.zeros(count, D, dtype=torch.float64).scatter(1, chosen, 1.0).unflatten(1, PATCH)
    return mask.repeat_interleave(6, 1).repeat_interleave(6, 2) * white(count, random)


STRUCTURES: dict[str, Callable[[int, torch.Generator], Tensor]] = {
    "symmetric": partial(_symmetric, 1),
    "skew-symmetric": partial(_symmetric, -1),
    "Toeplitz": partial(_by_offset, _offsets(wraps=False, two_dimensional=False)),
    "block-Toeplitz": partial(_by_offset, _offsets(wraps=False, two_dimensional=True)),
    "circulant": partial(_by_offset, _offsets(wraps=True, two_dimensional=False)),
    "doubly block-circulant": partial(_by_offset, _offsets(wraps=True, two_dimensional=True)),
    "Kronecker": _kronecker,
    "permutation": _permutations,
    "causal": lambda count, random: white(count, random).abs().triu(1),
    "signed sides": _signed_sides,
    "multi-scale": _quadrants,
    "concentrated blocks": _blocks,
}
OPERATORS: dict[str, tuple[str, dict[str, Any]]] = {
    "reflection": ("reflection", {}),
    "transposition": ("transposition", {}),
    "shift by 1": ("shift", {"columns": 1}),
    "rotation by 90": ("rotation", {"degrees": 90}),
    "rotation by 45": ("rotation", {"degrees": 45, "mode": "bilinear"}),
    "pooling 3": ("pooling", {"radius": 3}),
    "blur 1": ("blur", {"sigma": 1.0}),
    "derivative": ("derivative", {}),
    "pooling 4 then rotation by 60": ("pooling then rotation", {"radius": 4, "degrees": 60}),
}
