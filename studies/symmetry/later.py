"""Two image sets that were made after everything about the verdicts was fixed: a rectangle's group, and branches."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import torch
from torch import Tensor

from studies.cells import Cell
from studies.symmetry import images as planted
from studies.symmetry.sets import SIDE, ImageCase, random_elements


def branches(images: Tensor, generator: torch.Generator) -> Tensor:
    """Three walks up from the middle of the lowest row, a step to the left or the right in every second; with noise.

    Left and right are as likely; every other turn and flip moves the root.
    """
    count, walks = len(images), 3
    steps = torch.randint(2, (count, walks, SIDE // 2), generator=generator) * 2 - 1
    columns = (SIDE - 1) / 2 + steps.cumsum(2).repeat_interleave(2, 2).flip(2)  # (N, walks, rows)
    apart = torch.arange(SIDE)[None, None, None, :] - columns[..., None]
    drawn = (-(apart**2) / 2).exp().amax(1)[:, None]
    noise = torch.randn(count, 1, SIDE, SIDE, generator=generator)
    return (60 + 120 * drawn + 25 * noise).round().clamp(0, 255).to(torch.uint8)


RECTANGLE = frozenset({"turn 180", "flip columns", "flip rows"})
CASES = {
    f"{case.source}, {case.name}": case
    for case in (
        ImageCase("rectangles' group", "cifar10", random_elements((0, 2, 4, 6)), ("turns", "flips"), RECTANGLE),
        ImageCase("upwards", "branches", branches, ("turns", "flips"), frozenset({"flip columns"})),
    )
}


def cells(quick: bool, data_dir: Path | None) -> Iterator[Cell]:
    """Not in a quick run."""
    for seed in range(0 if quick else planted.SEEDS):
        for name, case in CASES.items():
            key = {"images": name, "seed": seed}
            yield Cell(key, partial(planted.measure, case, planted.COUNT, seed, data_dir))
