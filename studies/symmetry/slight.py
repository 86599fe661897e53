"""Slight breaks that no pattern made: is what is broken by a little more than the margin never called kept?"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch
from torch import Tensor

from studies.cells import Cell
from studies.symmetry.images import COUNT, measure
from studies.symmetry.sets import CASES, Make

SEEDS = 3
#: The symmetric images, those that break it, and the share of these: an observer of the breaking ones alone tells flips
#: apart at .845 (turned digits) and .96 (upright ones), so the best tells the mixture at .57 and .55 at least.
MIXTURES = (
    ("mnist, quarter turns and flips", "mnist, quarter turns", 0.2),
    ("mnist, flips", "mnist, upright", 0.12),
)


def mixed(symmetric: Make, breaking: Make, share: float) -> Make:
    """Images of one kind, a share of them of another."""

    def make(images: Tensor, generator: torch.Generator) -> Tensor:
        chosen = torch.rand(len(images), generator=generator) < share
        return torch.where(chosen[:, None, None, None], breaking(images, generator), symmetric(images, generator))

    return make


def cells(quick: bool, data_dir: Path | None) -> Iterator[Cell]:
    """Not in a quick run."""
    for seed in range(0 if quick else SEEDS):
        for symmetric, breaking, share in MIXTURES:
            case = replace(
                CASES[breaking],
                name=f"{CASES[symmetric].name} but for {share:.0%}",
                make=mixed(CASES[symmetric].make, CASES[breaking].make, share),
                candidates=("turns", "flips"),
            )
            key = {"images": f"{case.source}, {case.name}", "seed": seed}
            yield Cell(key, partial(measure, case, COUNT, seed, data_dir))
