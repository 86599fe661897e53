"""Two image sets that were made after everything about the verdicts was fixed: half turns, and spirals of one hand."""

import math
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import torch
from torch import Tensor

from lgn.benchmarks.cells import Cell
from lgn.benchmarks.symmetry import images as planted
from lgn.benchmarks.symmetry.sets import TURNS, ImageCase, random_elements

SQUARE = ("turns", "flips")
SIDE = 28


def spirals(images: Tensor, generator: torch.Generator) -> Tensor:
    """Spirals of one arm that wind one way, each begun at its own angle, tight or wide, with noise; of no other images.

    Every turn of such a spiral is as likely as itself, and no mirror image ever comes.
    """
    count = len(images)
    place = torch.arange(SIDE) - (SIDE - 1) / 2
    radius = torch.hypot(place[:, None], place[None, :]).clamp(min=0.5)
    angle = torch.atan2(place[:, None], place[None, :])
    begin, tight, width = torch.rand(3, count, 1, 1, 1, generator=generator)
    phase = angle - (1.5 + 2 * tight) * radius.log() + 2 * math.pi * begin
    arm = phase.cos() * (-((radius / (5 + 8 * width)) ** 2)).exp()
    noise = torch.randn(count, 1, SIDE, SIDE, generator=generator)
    return (128 + 70 * arm + 30 * noise).round().clamp(0, 255).to(torch.uint8)


CASES = {
    "mnist, half turns": ImageCase("half turns", "mnist", random_elements((0, 2)), SQUARE, frozenset({"turn 180"})),
    "spirals of one hand": ImageCase("spirals of one hand", "mnist", spirals, SQUARE, frozenset(TURNS)),
}


def cells(quick: bool, data_dir: Path | None) -> Iterator[Cell]:
    """Not in a quick run."""
    for seed in range(0 if quick else planted.SEEDS):
        for name, case in CASES.items():
            key = {"images": name, "seed": seed}
            yield Cell(key, partial(planted.measure, case, planted.COUNT, seed, data_dir))
