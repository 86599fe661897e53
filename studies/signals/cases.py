"""Operators on signals and volumes, and verdicts on signals, volumes and outlines with known symmetries.

Real signals are outlines of leaves and of arrow heads, from the package aeon on PyPI. The outline of a leaf is closed:
if it began at a random point, a shift round the ring would be a symmetry, so outlines are also shifted at random.
"""

import math
import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from statistics import mean
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

import lgn
from lgn.actions import orbit
from lgn.analysis.structure import offset_share
from lgn.discovery.images import discover_images
from lgn.measures import total_error
from lgn.transforms import parse_operator
from studies.packages import archive_of
from studies.runner import Cell, grid
from studies.symmetry.cases import verdicts

SEEDS, COUNT, LENGTH, SIDE = 5, 12_000, 96, 6
OPERATORS = {"shift 1": (9,), "reversal": (9,), "stretch 2": (9,), "turn 3 90": (3, 3, 3), "mirror 2": (3, 3, 3)}
AEON = "aeon", "aeon-1.6.0-py3-none-any.whl", "d05227086706f80111ac5fee8de4d5d3115bb3bcfd1c786c8629393055816409"
SETS = {"outlines of leaves": "OSULeaf", "the same, begun anywhere": "OSULeaf", "outlines of arrow heads": "ArrowHead"}
FORGETTING = 64  # steps after which a process has forgotten its beginning
NEIGHBOURS = 32  # a tip is higher than this part of the outline in either direction


def planted_cells(quick: bool) -> Iterator[Cell]:
    for operator, patch in OPERATORS.items():
        axes = {"noise": (0.0, 1e-4), "seed": range(1 if quick else SEEDS)}
        yield from grid(measure_planted, operator=[operator], patch=[list(patch)], **axes)


def measure_planted(operator: str, patch: list[int], noise: float, seed: int) -> dict[str, Any]:
    """The error of the operator that is found from sets `[W, A W]`, four for each dimension."""
    generator = torch.Generator().manual_seed(seed)
    matrix = parse_operator(operator, tuple(patch))
    bases = torch.randn(4 * math.prod(patch), 1, *patch, generator=generator, dtype=torch.float64)
    bank = orbit(matrix, bases, 2, len(patch)).transpose(0, 1).flatten(0, 1)
    bank = bank + noise * torch.randn(bank.shape, generator=generator, dtype=torch.float64)
    return {"error": total_error(lgn.fit_generator(bank, group=2, seed=seed).matrix, matrix)}


def signal_cells(quick: bool) -> Iterator[Cell]:
    return grid(measure_signals, {"count": 4000 if quick else COUNT}, signals=CASES, seed=range(1 if quick else SEEDS))


def measure_signals(signals: str, seed: int, count: int) -> dict[str, Any]:
    make, kept = CASES[signals]
    found = discover_images(make(count, torch.Generator().manual_seed(1000 + seed)), kind="signals", seed=seed)
    return verdicts(found, lambda name: "kept" if name in kept else "broken")


def volume_cells(quick: bool) -> Iterator[Cell]:
    settings, seeds = {"count": 1000 if quick else COUNT}, range(1 if quick else SEEDS)
    return grid(measure_volumes, settings, volumes=["a random field with one mirror"], seed=seeds)


def measure_volumes(volumes: str, seed: int, count: int) -> dict[str, Any]:
    """The verdicts on all 48 symmetries of the cube."""
    found = discover_images(fields(count, torch.Generator().manual_seed(2000 + seed)), kind="volumes", seed=seed)
    return verdicts(found, lambda name: "kept" if name == "mirror 1" else "broken")


def fields(count: int, generator: torch.Generator) -> Tensor:
    mean = F.avg_pool3d(torch.randn(1, 1, SIDE + 2, SIDE + 2, SIDE + 2, generator=generator), 3, stride=1)
    mean = mean + mean.flip(2)
    field = F.avg_pool3d(torch.randn(count, 1, SIDE + 2, SIDE + 2, SIDE + 2, generator=generator), 3, stride=1)
    return field / field.std() + 0.5 * mean / mean.std()


def process(count: int, generator: torch.Generator) -> Tensor:
    """Windows of a stationary Gaussian process, `x[t] = 1.2 x[t-1] - 0.5 x[t-2] + e[t]`.  -> (N, 1, T)"""
    return regressed(torch.randn(count, LENGTH + FORGETTING, generator=generator), 1.2, -0.5)


def regressed(noise: Tensor, *weights: float) -> Tensor:
    """`x[t] = weights[0] x[t-1] + weights[1] x[t-2] + ... + e[t]`, without its beginning.  -> (N, 1, T)"""
    values = list(noise.T[: len(weights)])
    for added in noise.T[len(weights) :]:
        values.append(sum(weight * values[-lag] for lag, weight in enumerate(weights, 1)) + added)
    return torch.stack(values[-LENGTH:], 1)[:, None]


def jumps(count: int, generator: torch.Generator) -> Tensor:
    """A stationary process whose noise is the cube of a Gaussian: its covariance does not show the arrow of time."""
    return regressed(torch.randn(count, LENGTH + FORGETTING, generator=generator) ** 3, 0.8)


def rare_jumps(count: int, generator: torch.Generator) -> Tensor:
    """One in eight jumps, the others are Gaussian with the same covariance: the best observer is right at 0.56."""
    calm = regressed(math.sqrt(15) * torch.randn(count, LENGTH + FORGETTING, generator=generator), 0.8)
    chosen = torch.rand(count, 1, 1, generator=generator) < 1 / 8
    return torch.where(chosen, jumps(count, generator), calm)


def chirps(count: int, generator: torch.Generator) -> Tensor:
    """Tones that rise, at any phase, in noise.  -> (N, 1, T)"""
    time = torch.linspace(0, 1, LENGTH)
    begin, rise, phase = (torch.rand(count, 1, generator=generator) for _ in range(3))
    tone = torch.sin(math.tau * (phase + (3 + begin) * time + (2 + 2 * rise) * time**2))
    return (tone + 0.5 * torch.randn(count, LENGTH, generator=generator))[:, None]


def pulses(count: int, generator: torch.Generator) -> Tensor:
    """A pulse of a heart, a spike between a low hill and a higher one, at a random place of a ring.  -> (N, 1, T)"""
    time = torch.arange(LENGTH)
    place = torch.randint(LENGTH, (count, 1), generator=generator)
    after = (time - place) % LENGTH
    waves = ((12, 4.0, 0.3), (24, 1.2, 2.0), (27, 1.2, -0.6), (42, 6.0, 0.6))  # where, how wide, how high
    made = sum(height * torch.exp(-(((after - where) / wide) ** 2)) for where, wide, height in waves)
    return (made + 0.2 * torch.randn(count, LENGTH, generator=generator))[:, None]


#: The maker and the kept transformations. A window of a process or a tone is no ring: its ends do not meet.
CASES: dict[str, tuple[Callable[[int, torch.Generator], Tensor], tuple[str, ...]]] = {
    "a stationary process": (process, ("reversal", "sign")),
    "jumps that fall back": (jumps, ("sign",)),
    "one in eight jumps": (rare_jumps, ("sign",)),
    "chirps": (chirps, ("sign",)),
    "pulses on a ring": (pulses, ("shift 1/8",)),
}


def outline_cells(quick: bool) -> Iterator[Cell]:
    """Not in a quick run, which fetches nothing."""
    return grid(measure_outlines, signals=SETS, seed=range(0 if quick else SEEDS))


def measure_outlines(signals: str, seed: int) -> dict[str, Any]:
    """The verdicts, how circulant the covariance is, and where outlines begin."""
    x = outlines(SETS[signals])
    if signals == "the same, begun anywhere":
        x = begun_anywhere(x, seed)
    found = discover_images(x, kind="signals", seed=seed)
    centred = (x - x.mean(0))[:, 0].double()
    return {
        **verdicts(found, lambda _: None),
        "needed": {row.name: mean(row.needed) for row in found.rows if row.needed},
        "circulant": float(offset_share(centred.T @ centred, (centred.shape[1],), wrap=True)),
        "begins": extremes(x),
    }


@cache
def outlines(name: str) -> Tensor:
    rows = []
    with zipfile.ZipFile(archive_of(*AEON)) as archive:
        for part in ("TRAIN", "TEST"):
            text = archive.read(f"aeon/datasets/data/{name}/{name}_{part}.ts").decode()
            lines = [line for line in text.splitlines() if line and line[0] not in "#@"]
            rows += [[float(value) for value in line.rsplit(":", 1)[0].split(",")] for line in lines]
    return torch.tensor(rows)[:, None]


def begun_anywhere(signals: Tensor, seed: int) -> Tensor:
    random = torch.Generator().manual_seed(seed)
    shifts = torch.randint(signals.shape[-1], (len(signals), 1, 1), generator=random)
    return signals.gather(-1, (torch.arange(signals.shape[-1]) + shifts) % signals.shape[-1])


def extremes(signals: Tensor) -> dict[str, float]:
    """The share of signals with a tip, or a notch, within three values of the beginning, and of any place."""
    reach = signals.shape[-1] // NEIGHBOURS
    found: dict[str, float] = {}
    for name, sign in (("tip", 1), ("notch", -1)):
        ring = F.pad(sign * signals, (reach, reach), mode="circular")
        highest = (F.max_pool1d(ring, 2 * reach + 1, 1) == sign * signals).float()
        near = F.max_pool1d(F.pad(highest, (3, 3), mode="circular"), 7, 1)[:, 0]
        found |= {name: float(near[:, 0].mean()), f"{name} anywhere": float(near.mean())}
    return found
