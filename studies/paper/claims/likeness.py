"""Claims on resemblance: what task and data change (claims 3 and 11)."""

from dataclasses import replace
from functools import partial
from math import atanh
from statistics import mean
from typing import Any

import torch

from lgn.analysis.generator import WHOLE
from studies.paper.claims.statement import (
    Measured,
    Statement,
    all_of,
    compare,
    difference,
    estimate,
    graded,
    of_parts,
    over_generators,
    stated,
    table,
)
from studies.paper.claims.structures import share_found
from studies.paper.excerpt import Scores
from studies.truth.controls import OTHER_INPUTS, REPAIRED

BLOCKS = "concentrated blocks"


def likeness(one: Scores, other: Scores) -> float:
    """How alike two runs are: the correlation over scores of their means, each less its chance."""
    return float(torch.corrcoef(torch.stack([_profile(one), _profile(other)]))[0, 1])


def _profile(scores: Scores) -> torch.Tensor:
    columns = zip(*(item.scores[WHOLE].values() for item in scores.generators), strict=True)
    return torch.tensor([mean(number.value - number.chance for number in column) for column in columns])


def task_dependence(runs: str, classified: Measured, rebuilt: Measured) -> Statement:
    """Claim 3, on one data set: tasks differ more than seeds do, and reconstruction has energy in few blocks.

    No run is in two pairs of a kind, so that their values are independent.
    """
    seeds = [likeness(*pair) for same in (classified.runs, rebuilt.runs) for pair in disjoint(same)]
    tasks = [likeness(*pair) for pair in zip(classified.runs, rebuilt.runs, strict=False)]
    gap = difference(_fisher(seeds), _fisher(tasks)) if seeds else None
    if gap is not None:  # runs decide whether there are enough, and not the pairs that were made of them
        gap = replace(gap, runs=len(classified.runs), others=len(rebuilt.runs))
    score = over_generators(lambda item: item.score(BLOCKS))
    more = difference([score(item) for item in rebuilt.runs], [score(item) for item in classified.runs])
    own = compare("energy in a tenth of the blocks, reconstruction", score, rebuilt)
    in_blocks = all_of([more.above(0), *(own.ahead[name].above(0) for name in (REPAIRED, OTHER_INPUTS))])
    shares = [
        compare(f"share with {BLOCKS}, {task}", partial(share_found, structure=BLOCKS), of)
        for task, of in (("reconstruction", rebuilt), ("classification", classified))
    ]
    verdict = of_parts([None if gap is None else gap.above(0), in_blocks])
    values: dict[str, Any] = {"tasks": _mean(tasks), "seeds": _mean(seeds), "gap": gap or "too few seeds", "more": more}
    return stated(3, runs, verdict, (table(f"Blocks: {runs}", [own, *shares]),), **values)


def same_on_both(runs: str, one: Measured, other: Measured, apart: Measured) -> Statement:
    kinds = {
        "the other data set": other.runs,
        "the other task": apart.runs,
        "the other data set, re-paired": other.controls[REPAIRED],
    }
    alike = {name: [likeness(*pair) for pair in zip(one.runs, some, strict=False)] for name, some in kinds.items()}
    data, tasks, unpaired = map(_fisher, alike.values())
    than_tasks, than_unpaired = (
        estimate([a - b for a, b in zip(data, item, strict=False)]) for item in (tasks, unpaired)
    )
    return stated(
        11,
        runs,
        graded(all_of([than_tasks.above(0), than_unpaired.above(0)]), than_tasks.above(0)),
        alike=", ".join(f"{name} {_mean(values)}" for name, values in alike.items()),
        than_tasks=than_tasks,
        than_unpaired=than_unpaired,
    )


def between_data_sets(one: list[Scores], other: list[Scores]) -> str:
    alike = [likeness(*pair) for pair in zip(one, other, strict=False)]
    words = f"mean correlation of scores less chance, between CIFAR-10 and MNIST: {_mean(alike)}"
    return words + f"; between seeds on CIFAR-10: {_mean([likeness(*pair) for pair in disjoint(one)])}"


def disjoint(runs: list[Scores]) -> list[tuple[Scores, Scores]]:
    """The first with the second, the third with the fourth: no run is in two pairs."""
    return list(zip(runs[::2], runs[1::2], strict=False))


def _fisher(correlations: list[float]) -> list[float]:
    return [atanh(min(item, 1 - 1e-9)) for item in correlations]


def _mean(values: list[float]) -> str:
    return f"{mean(values):.3f} ({len(values)} pair{'s' if len(values) > 1 else ''})" if values else "not known"
