"""Fitted generators of banks and fitted maps between pairs: the rates of false claims and of found maps."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor

from lgn.actions import act, orbit, unvec
from lgn.discovery.filters import fit_from_pairs
from lgn.discovery.filters.from_bank import FitShare
from lgn.discovery.filters.record import Method
from lgn.measures import total_error
from lgn.transforms import parse_operator
from studies.recovery.planted import SHUFFLES, TASKS, fit_quietly, planted_generator
from studies.runner import Cell, cell, grid
from studies.truth.matrices import smooth_fields

ORDER, SETS, SIDE = 4, 20, 6
PAIRS = 2000
BANKS = (
    "plain",
    "norms by set",
    "element j times 0.5^j",
    "a template at each place",
    "smooth, 1 px",
    "smooth, 2 px",
    "smooth, 1 px, norms by set",
    "a template at each place, norms that decay by set",
    "five directions and noise, norms by set",
    "three channels alike, norms by set",
)
NO_MAPS = (
    "unrelated",
    "a common factor",
    "a common summand",
    "the same patch",
    "the same patch, noise on one side",
    "the same patch, noise on both sides",
)
MAPS = {"quarter turn": "rotation 90 bilinear", "flip": "reflection", "turn by 10 degrees": "rotation 10 bilinear"}


def cells(quick: bool) -> Iterator[Cell]:
    count, side, few = (400, 4, 10) if quick else (1000, SIDE, 100)
    banks: dict[str, dict[str, Any]] = {bank: {"side": side} for bank in BANKS}
    banks["norms by set, procrustes"] = {"side": side, "method": "procrustes"}
    banks["norms by set, a generator per set"] = {"side": 4, "share": "set"}
    for bank, settings in banks.items():
        yield cell(measure_null, {"count": count, **settings}, kind="fit null", bank=bank)
    yield from grid(measure_power, {"count": few}, kind=["fit power"], bank=TASKS, noise=(0.0, 0.1))
    dimensions = [f"{dimension} of 36 dimensions" for dimension in (24, 31, 36)]
    yield from grid(measure_dimension, {"count": few}, kind=["fit dimension"], bank=dimensions, noise=[0.01])
    yield from grid(measure_pairs, {"count": 2 * few}, kind=["pairs null"], pairs=NO_MAPS)
    yield from grid(measure_pairs, {"count": 2 * few}, kind=["pairs power"], pairs=MAPS)


def measure_null(
    kind: str, bank: str, count: int, side: int, method: Method = "least-squares", share: FitShare = "layer"
) -> dict[str, Any]:
    """The share of banks without a generator that have a p-value of at most 0.05."""
    random = torch.Generator().manual_seed(0)
    channels = side * side // 2 if share == "set" else 1  # more pairs than pixels for each generator
    banks = (unrelated(bank, side, random, channels) for _ in range(count))
    p_values = [fit_quietly(bank, method, share=share, seed=seed).p_value for seed, bank in enumerate(banks)]
    return {"rate": sum(value <= 0.05 for value in p_values) / count, "limit": 0.075, "count": count}


def unrelated(kind: str, side: int, random: torch.Generator, channels: int = 1) -> Tensor:
    """A bank without a generator: its norms, means or smoothness might pass for one.  (sets * order, channels, n, n)"""
    normal = partial(torch.randn, generator=random, dtype=torch.float64)
    channels = 3 if "channels" in kind else channels
    shape = (SETS, ORDER, channels, side, side)
    filters = normal(*shape)
    if "smooth" in kind:
        filters = smooth_fields(shape, 2.0 if "2 px" in kind else 1.0, random)
    if "five directions" in kind:
        filters = torch.einsum("kjcr,rab->kjcab", normal(*shape[:3], 5), normal(5, side, side)) + 0.3 * filters
    if "channels alike" in kind:
        filters = filters[:, :, :1] + 0.3 * filters
    if "template" in kind:
        filters = filters + normal(ORDER, channels, side, side)
    place = torch.arange(ORDER).view(-1, 1, 1, 1)
    if "norms by set" in kind:
        filters = filters * normal(SETS, 1, 1, 1, 1).exp()
    if "decay by set" in kind:
        filters = filters * (0.5 * normal(SETS, 1, 1, 1, 1) * place).exp()
    if "0.5^j" in kind:
        filters = filters * 0.5**place
    return filters.flatten(0, 1)


def measure_power(kind: str, bank: str, noise: float, count: int) -> dict[str, Any]:
    random = torch.Generator().manual_seed(0)
    matrix = planted_generator(bank, 0)
    low = 0
    for seed in range(count):
        bases = torch.randn(SETS, 1, SIDE, SIDE, generator=random, dtype=torch.float64)
        filters = _noisy(orbit(matrix, bases, ORDER), noise, random)
        low += fit_quietly(filters, "least-squares", seed=seed).p_value <= 0.05
    return {"rate": low / count, "at_least": 0.95, "count": count}


def measure_dimension(kind: str, bank: str, noise: float, count: int) -> dict[str, Any]:
    """The share of noisy banks in a subspace whose fit reports the dimension of the subspace as known."""
    random = torch.Generator().manual_seed(0)
    normal = partial(torch.randn, generator=random, dtype=torch.float64)
    dimension, reported, errors = int(bank.split()[0]), [], []
    for seed in range(count):
        frame = torch.linalg.qr(normal(SIDE**2, SIDE**2))[0]
        inside, outside = frame[:, :dimension], frame[:, dimension:]
        turn = torch.linalg.qr(normal(dimension, dimension))[0]
        matrix = inside @ turn @ inside.T + outside @ outside.T
        bases = unvec(normal(SETS, 1, dimension) @ inside.T, (SIDE, SIDE))
        fit = fit_quietly(_noisy(orbit(matrix, bases, ORDER), noise, random), "least-squares", seed=seed)
        reported.append(fit.identifiable_dimension)
        errors.append(total_error(fit.matrix, matrix))
    rate = sum(found == dimension for found in reported) / count
    extremes = {"reported": [min(reported), max(reported)], "worst_error": max(errors)}
    return {"rate": rate, "at_least": 0.95, "count": count, **extremes}


def measure_pairs(kind: str, pairs: str, count: int) -> dict[str, Any]:
    random = torch.Generator().manual_seed(0)
    fits = [fit_from_pairs(*drawn_pairs(pairs, random), shuffles=SHUFFLES, seed=seed) for seed in range(count)]
    bound = {"at_least": 0.95} if pairs in MAPS else {"limit": 0.05}
    return {"rate": sum(fit.found for fit in fits) / count, **bound, "count": count}


def drawn_pairs(kind: str, random: torch.Generator) -> tuple[Tensor, Tensor]:
    """Smooth patches with positive means, as those of images, and their partners.  two of (pairs, 4, 4)"""
    normal = partial(torch.randn, generator=random, dtype=torch.float64)
    x, other = (smooth_fields((PAIRS, 4, 4), 1.0, random) + 2 for _ in range(2))
    shared = normal(PAIRS, 1, 1)
    noise = [0.5 * normal(*x.shape) for _ in range(2)]
    if kind in MAPS:
        return x, act(parse_operator(MAPS[kind], (4, 4)), x) + (0.2 if kind == "turn by 10 degrees" else 1.0) * noise[0]
    return {
        "unrelated": (x, other),
        "a common factor": (shared.exp() * x, shared.exp() * other),
        "a common summand": (x + 2 * shared, other + 2 * shared),
        "the same patch": (x, x),
        "the same patch, noise on one side": (x, x + noise[0]),
        "the same patch, noise on both sides": (x + noise[0], x + noise[1]),
    }[kind]


def _noisy(elements: Tensor, noise: float, random: torch.Generator) -> Tensor:
    """(order, sets, channels, n, m) -> a bank, with noise as a share of its size"""
    bank = elements.transpose(0, 1).flatten(0, 1)
    return bank + noise * bank.square().mean().sqrt() * torch.randn(bank.shape, generator=random, dtype=bank.dtype)
