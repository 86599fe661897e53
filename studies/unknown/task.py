"""Task against data: the same turned digits, labelled by digit and by turn."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import torch

import lgn.data
from lgn.data.rotated import turn
from lgn.data.seeds import generator_for
from lgn.discovery.moments import discover_from_data
from lgn.transforms import parse_operator
from studies.cells import Cell
from studies.unknown.cases import Case
from studies.unknown.planted import SEEDS
from studies.unknown.score import compare, facts, short

TASKS = ("turned, by digit", "turned, by turn", "upright, by digit")


def cells(quick: bool, data_dir: Path | None) -> Iterator[Cell]:
    """Labels x numbers of samples x seeds."""
    source = "digits" if quick else "mnist"
    for seed in SEEDS[:1] if quick else SEEDS:
        for count in (5_000,) if quick else (10_000, 3_000):
            for task in TASKS[:2] if quick else TASKS:
                key = {"task": task, "data": source, "samples": count, "seed": seed}
                yield Cell(key, partial(measure, source, data_dir, task, count, seed))


def measure(source: str, data_dir: Path | None, task: str, count: int, seed: int) -> dict[str, Any]:
    """Is the group found, and does it move the classes as it should?"""
    split = lgn.data.load(source, data_dir, download=False).train
    assert split.labels is not None
    generator = generator_for("unknown task", seed)
    chosen = torch.randperm(len(split.samples), generator=generator)[:count]
    images, digits = split.samples[chosen], split.labels[chosen]
    quarters = torch.randint(4, (len(images),), generator=generator)
    x = images if "upright" in task else turn(images, quarters)
    result = discover_from_data(x, quarters if "by turn" in task else digits, seed=seed)
    turns = () if "upright" in task else (90, 180, 270)
    case = Case(x, [parse_operator(f"rotation {degrees}", (14, 14)) for degrees in turns])
    quarter_turns = {f"turn {degrees}": number + 1 for number, degrees in enumerate(turns)}
    moves = [
        each.classes == tuple((c + quarter_turns[each.name]) % 4 for c in range(4))
        if "by turn" in task
        else each.classes == tuple(range(len(each.classes)))
        for each in result.kept
        if each.name in quarter_turns and each.classes is not None
    ]
    return short({**compare(result, case), **facts(result), "classes_right": all(moves), "classes_seen": len(moves)})
