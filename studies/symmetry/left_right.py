"""The left-right flip of CIFAR-10, which nobody planted: read on all of its test images."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import torch

import lgn.data
from lgn.discovery.images.exact import turns_and_flips
from lgn.discovery.images.images_evidence import Parts, observe
from lgn.discovery.images.observer import smaller
from lgn.discovery.images.verdict import MARGIN, judge
from studies.cells import Cell

LEARNED, SEEDS = 20_000, 5


def cells(quick: bool, data_dir: Path | None) -> Iterator[Cell]:
    """Not in a quick run, which has no CIFAR-10."""
    for seed in range(0 if quick else SEEDS):
        yield Cell({"images": "cifar10, left-right flip", "seed": seed}, partial(measure, seed, data_dir))


def measure(seed: int, data_dir: Path | None) -> dict[str, Any]:
    """An observer of x and its mirror image, that learned from 20,000 train images."""
    both = lgn.data.load("cifar10", data_dir, download=False)
    generator = lgn.data.generator_for("symmetry benchmark left-right", seed)
    chosen = torch.randperm(len(both.train), generator=generator)[:LEARNED]
    learns, judges = (
        smaller((images.float() - 120) / 64) for images in (both.train.samples[chosen], both.test.samples)
    )
    family = turns_and_flips(("flips",), *learns.shape[-2:])
    mirrored = family.restricted((0, family.candidate("flip columns").element or 0))
    found = observe(mirrored, Parts(learns, judges, torch.arange(len(judges))), MARGIN, seed)
    reading = found.readings[0]
    verdict = judge(reading, reading.p_value(), found.control, MARGIN, len(learns) + len(judges))
    row = {
        "name": "flip columns",
        "family": "turns and flips",
        "verdict": verdict.word,
        "truth": None,
        "told_apart": round(reading.share, 4),
        "interval": [round(end, 4) for end in reading.interval],
        "p_value": reading.p_value(),
    }
    control = None if found.control is None else round(found.control.share, 4)
    return {"rows": [row], "controls": {"turns and flips": control}, "trace": verdict.trace}
