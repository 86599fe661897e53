"""Signals whose symmetries are known: two stationary processes, chirps, pulses on a ring."""

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor

from lgn.discovery.images import discover_images
from studies.runner import Cell
from studies.symmetry.cases import verdicts

COUNT, QUICK_COUNT, SEEDS, LENGTH = 12_000, 4000, 5, 96


def process(count: int, generator: torch.Generator) -> Tensor:
    """Windows of a stationary Gaussian process, `x[t] = 1.2 x[t-1] - 0.5 x[t-2] + e[t]`.  -> (N, 1, T)"""
    before = 64  # it has forgotten where it began
    noise = torch.randn(count, LENGTH + before, generator=generator)
    values = [noise[:, 0], noise[:, 1]]
    for step in range(2, LENGTH + before):
        values.append(1.2 * values[-1] - 0.5 * values[-2] + noise[:, step])
    return torch.stack(values[before:], 1)[:, None]


def falling_back(noise: Tensor) -> Tensor:
    """`x[t] = 0.8 x[t-1] + e[t]`, when it has forgotten where it began.  (N, before + T) -> (N, 1, T)"""
    values = [noise[:, 0]]
    for step in range(1, noise.shape[1]):
        values.append(0.8 * values[-1] + noise[:, step])
    return torch.stack(values[-LENGTH:], 1)[:, None]


def jumps(count: int, generator: torch.Generator) -> Tensor:
    """Windows of a stationary process that jumps either way and falls back, its noise the cube of a Gaussian: time has
    an arrow that its covariance, which is the same backwards, does not show.  -> (N, 1, T)"""
    return falling_back(torch.randn(count, LENGTH + 64, generator=generator) ** 3)


def some_jump(count: int, generator: torch.Generator) -> Tensor:
    """One in eight of them jumps; the others are Gaussian, with the same covariance. Jumps are told backwards at 1.00,
    so the best observer tells these at .56: a little more than the margin, and by no pattern.  -> (N, 1, T)"""
    calm = falling_back(math.sqrt(15) * torch.randn(count, LENGTH + 64, generator=generator))
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


#: How each is made, and what is kept. A window of a process or a tone is no ring: its ends do not meet.
CASES: dict[str, tuple[Callable[[int, torch.Generator], Tensor], frozenset[str]]] = {
    "a stationary process": (process, frozenset({"reversal", "sign"})),
    "jumps that fall back": (jumps, frozenset({"sign"})),
    "one in eight jumps": (some_jump, frozenset({"sign"})),
    "chirps": (chirps, frozenset({"sign"})),
    "pulses on a ring": (pulses, frozenset({"shift 1/8"})),
}


def cells(quick: bool) -> Iterator[Cell]:
    for seed in range(1 if quick else SEEDS):
        for name in CASES:
            key = {"signals": name, "seed": seed}
            yield Cell(key, partial(measure, name, QUICK_COUNT if quick else COUNT, seed))


def measure(name: str, count: int, seed: int) -> dict[str, Any]:
    """The verdict on reversal, sign and shift, beside what is true."""
    make, kept = CASES[name]
    found = discover_images(make(count, torch.Generator().manual_seed(1000 + seed)), kind="signals", seed=seed)
    return verdicts(found, lambda row: "kept" if row in kept else "broken")
