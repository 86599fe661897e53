"""Two image sets that were made after everything about the verdicts was fixed: transpositions, and slanting waves."""

import math
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import torch
from torch import Tensor

from lgn.benchmarks.cells import Cell
from lgn.benchmarks.symmetry import images as planted
from lgn.benchmarks.symmetry.sets import SIDE, ImageCase, random_elements


def waves(images: Tensor, generator: torch.Generator) -> Tensor:
    """Two plane waves each, slanting by 10 to 40 degrees, begun anywhere, with noise; of no other images.

    Half a turn begins a wave elsewhere, which is as likely; every other turn and flip slants it otherwise.
    """
    count = len(images)
    place = torch.arange(SIDE) - (SIDE - 1) / 2
    slant, length, begin = torch.rand(3, count, 2, 1, 1, generator=generator)
    angle = torch.deg2rad(10 + 30 * slant)
    phase = (angle.cos() * place[None, :] + angle.sin() * place[:, None]) / (0.6 + length) + 2 * math.pi * begin
    noise = torch.randn(count, 1, SIDE, SIDE, generator=generator)
    return (128 + 35 * phase.cos().sum(1, keepdim=True) + 30 * noise).round().clamp(0, 255).to(torch.uint8)


CASES = {
    f"{case.source}, {case.name}": case
    for case in (
        ImageCase("transpositions", "mnist", random_elements((0, 5)), ("turns", "flips"), frozenset({"transposition"})),
        ImageCase("slanting", "waves", waves, ("turns", "flips"), frozenset({"turn 180"})),
    )
}


def cells(quick: bool, data_dir: Path | None) -> Iterator[Cell]:
    """Not in a quick run."""
    for seed in range(0 if quick else planted.SEEDS):
        for name, case in CASES.items():
            key = {"images": name, "seed": seed}
            yield Cell(key, partial(planted.measure, case, planted.COUNT, seed, data_dir))
