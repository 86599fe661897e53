"""The cost of a training step, next to a straightforward implementation and to the limit of the machine.

    python -m studies.speed --quick                     # 1 min
    python -m studies.speed --out results/speed.json  # 12 min

Expected: on two threads, at least 5 times (MNIST) and 4 times (CIFAR-10) as fast as the straightforward step.
See docs/evidence/speed.md.

With LGN_AUTHORS, a directory with model.py of the authors' code, that code is run and timed as well. With LGN_ESCNN, a
directory into which escnn was installed, its networks are timed as well.
"""

from collections.abc import Callable, Iterator
from typing import Any

from studies.runner import Cell, Cells, cell, declared
from studies.speed import measure, processes

THREADS = 2


def part(function: Callable[..., dict[str, Any]], quick: bool = False) -> Cells:
    """One cell with all measurements of a function of the number of rounds."""

    def cells(is_quick: bool) -> Iterator[Cell]:
        if quick or not is_quick:
            yield cell(function, {"rounds": 5 if is_quick else 30, "threads": THREADS})

    return cells


STUDY = declared(
    __name__,
    "speed",
    {
        "steps": part(measure.steps, quick=True),
        "released": part(measure.released, quick=True),
        "profile": part(measure.profile),
        "memory": part(processes.memory),
        "growth": part(processes.growth),
        "scaling": part(measure.scaling, quick=True),
        "groups": part(processes.group_steps),
        "answer": part(processes.answer),
    },
    minutes=(1, 12),
)
