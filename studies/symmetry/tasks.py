"""One image set, two tasks: turned digits labelled by digit, and by their turn."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import torch

import lgn.data
from lgn.data.rotated import turn
from lgn.discovery.images import symmetries
from studies.cells import Cell
from studies.symmetry.sets import source_images

COUNT, SEEDS, TASKS = 10_000, 5, ("digit", "turn")
WANTED = {"digit": "survive", "turn": "permuted"}


def cells(quick: bool, data_dir: Path | None) -> Iterator[Cell]:
    """The same images, the same seed, other labels."""
    source, seeds, count = ("digits", 1, 6000) if quick else ("mnist", SEEDS, COUNT)
    for seed in range(seeds):
        for task in TASKS:
            key = {"images": f"{source}, quarter turns", "task": task, "seed": seed}
            yield Cell(key, partial(measure, source, task, count, seed, data_dir))


def measure(source: str, task: str, count: int, seed: int, data_dir: Path | None) -> dict[str, Any]:
    """What becomes of the labels under the quarter turns that the images keep."""
    images, digits = source_images(source, data_dir)
    generator = lgn.data.generator_for("symmetry benchmark tasks", seed)
    chosen = torch.randperm(len(images), generator=generator)[:count]
    turns = torch.randint(4, (len(chosen),), generator=generator)
    labels = digits[chosen] if task == "digit" else turns
    found = symmetries(turn(images[chosen], turns), labels, candidates=("turns",), seed=seed)
    rows = [
        {
            "name": row.name,
            "verdict": row.images,
            "told_apart": round(row.told_apart, 4),
            "labels": row.labels,
            "accuracy": None if row.label_evidence is None else round(row.label_evidence.accuracy, 4),
            "transformed": None if row.label_evidence is None else round(row.label_evidence.transformed, 4),
            "permutation": [] if row.label_evidence is None else list(row.label_evidence.permutation),
            "wanted": WANTED[task],
        }
        for row in found.rows
    ]
    return {"rows": rows, "sentence": found.sentence}
