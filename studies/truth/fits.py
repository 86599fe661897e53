"""Generators of banks, and maps between pairs: what is found where there is nothing, and where there is something."""

import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor

from lgn.actions import act, orbit, unvec
from lgn.discovery.filters import Fit, fit_from_pairs, fit_generator
from lgn.discovery.filters.from_bank import FitShare
from lgn.discovery.filters.record import Method
from lgn.nn import UndeterminedWarning
from lgn.transforms import operator
from studies.recovery.planted import TASKS, planted_generator
from studies.runner import Cell
from studies.truth.smooth import smooth_fields

ORDER, SETS, SIDE, SHUFFLES = 4, 20, 6, 19  # of 20 banks without a generator, one has a p-value of 0.05
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
MAPS = ("quarter turn", "flip", "turn by 10 degrees")


def cells(quick: bool) -> Iterator[Cell]:
    """Banks and pairs without a generator, then with one, then how much of one is known. No data is needed."""
    count, side, some = (400, 4, 10) if quick else (1000, SIDE, 100)
    for bank in BANKS:
        yield Cell({"kind": "fit null", "bank": bank}, partial(measure_null, bank, count, side))
    key: dict[str, Any] = {"kind": "fit null", "bank": "norms by set, procrustes"}
    yield Cell(key, partial(measure_null, "norms by set", count, side, "procrustes"))
    key = {"kind": "fit null", "bank": "norms by set, a generator per set"}
    yield Cell(key, partial(measure_null, "norms by set", count, 4, "least-squares", "set"))
    for task in TASKS:
        for noise in (0.0, 0.1):
            key = {"kind": "fit power", "bank": task, "noise": noise}
            yield Cell(key, partial(measure_power, task, noise, some))
    for dimension in (24, 31, 36):
        key = {"kind": "fit dimension", "bank": f"{dimension} of 36 dimensions", "noise": 0.01}
        yield Cell(key, partial(measure_dimension, dimension, 0.01, some))
    for kinds, name in ((NO_MAPS, "pairs null"), (MAPS, "pairs power")):
        for pairs in kinds:
            yield Cell({"kind": name, "pairs": pairs}, partial(measure_pairs, pairs, 2 * some))


def measure_null(
    bank: str, count: int, side: int, method: Method = "least-squares", share: FitShare = "layer"
) -> dict[str, Any]:
    """The share of banks without a generator that have a p-value of at most 0.05."""
    random = torch.Generator().manual_seed(0)
    channels = side * side // 2 if share == "set" else 1  # more pairs than pixels for each generator
    banks = (unrelated(bank, side, random, channels) for _ in range(count))
    low = sum(_fit(filters, method, share, seed).p_value <= 0.05 for seed, filters in enumerate(banks))
    return {"rate": low / count, "limit": 0.075, "count": count}


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


def measure_power(task: str, noise: float, count: int) -> dict[str, Any]:
    """The share of banks with a planted generator that have a p-value of at most 0.05."""
    random = torch.Generator().manual_seed(0)
    matrix = planted_generator(task, 0)
    low = 0
    for seed in range(count):
        bases = torch.randn(SETS, 1, SIDE, SIDE, generator=random, dtype=torch.float64)
        low += _fit(_noisy(orbit(matrix, bases, ORDER), noise, random), seed=seed).p_value <= 0.05
    return {"rate": low / count, "at_least": 0.95, "count": count}


def measure_dimension(dimension: int, noise: float, count: int) -> dict[str, Any]:
    """The share of banks in so many dimensions, and noise in all, whose fit says that just these are known."""
    random = torch.Generator().manual_seed(0)
    normal = partial(torch.randn, generator=random, dtype=torch.float64)
    reported, errors = [], []
    for seed in range(count):
        frame = torch.linalg.qr(normal(SIDE**2, SIDE**2))[0]
        inside, outside = frame[:, :dimension], frame[:, dimension:]
        turn = torch.linalg.qr(normal(dimension, dimension))[0]
        matrix = inside @ turn @ inside.T + outside @ outside.T
        bases = unvec(normal(SETS, 1, dimension) @ inside.T, (SIDE, SIDE))
        fit = _fit(_noisy(orbit(matrix, bases, ORDER), noise, random), seed=seed)
        reported.append(fit.identifiable_dimension)
        errors.append(float((fit.matrix - matrix).norm() / matrix.norm()))
    rate = sum(each == dimension for each in reported) / count
    return {
        "rate": rate,
        "at_least": 0.95,
        "count": count,
        "reported": [min(reported), max(reported)],
        "worst_error": max(errors),
    }


def measure_pairs(kind: str, count: int) -> dict[str, Any]:
    """The share of sets of pairs between which a map is found."""
    random = torch.Generator().manual_seed(0)
    fits = [fit_from_pairs(*some_pairs(kind, random), shuffles=19, seed=seed) for seed in range(count)]
    bound = {"at_least": 0.95} if kind in MAPS else {"limit": 0.05}
    return {
        "rate": sum(fit.found for fit in fits) / count,
        **bound,
        "count": count,
        "residual": sum(fit.residual for fit in fits) / count,
        "largest_effect": max(fit.effect for fit in fits),
    }


def some_pairs(kind: str, random: torch.Generator) -> tuple[Tensor, Tensor]:
    """Smooth patches above zero, as images are, and what is seen after.  two of (pairs, 4, 4)"""
    normal = partial(torch.randn, generator=random, dtype=torch.float64)
    x, other = (smooth_fields((PAIRS, 4, 4), 1.0, random) + 2 for _ in range(2))
    shared = normal(PAIRS, 1, 1)
    noise = [0.5 * normal(*x.shape) for _ in range(2)]
    if kind in MAPS:
        degrees = {"quarter turn": 90.0, "turn by 10 degrees": 10.0}
        matrix = (
            operator("rotation", (4, 4), degrees=degrees[kind], mode="bilinear")
            if kind in degrees
            else operator("reflection", (4, 4))
        )
        return x, act(matrix, x) + (0.2 if kind == "turn by 10 degrees" else 1.0) * noise[0]
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


def _fit(bank: Tensor, method: Method = "least-squares", share: FitShare = "layer", seed: int = 0) -> Fit:
    """Without the warning that noisy filters know little: here that is measured."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndeterminedWarning)
        return fit_generator(bank, group=ORDER, method=method, share=share, shuffles=SHUFFLES, seed=seed)
