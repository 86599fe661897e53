"""This library beside another version of itself: two processes with a source tree each, that make steps in turn."""

import os
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

import lgn

# Written for both versions: what it imports is as old as the benchmark.
WORKER = """
import sys, time, torch
from studies.steps import SHAPES, paper_step
from lgn.training.memory import keep_freed_memory
keep_freed_memory()
torch.set_num_threads({threads})
step = paper_step(SHAPES[{shape!r}], **{network!r})
for line in sys.stdin:
    began = time.perf_counter()
    step()
    print(1e3 * (time.perf_counter() - began), flush=True)
"""
REST = 0.02  # seconds: the threads of the step before, which look for work for a while, are asleep by then
NETWORKS: dict[str, dict[str, Any]] = {
    "paper": {},
    "released": {"algorithm": "fista", "share": "channel", "start": "gaussian"},
}


def steps_against(other: Path, shape: str, settings: str, threads: int, rounds: int) -> dict[str, float]:
    """Fewest milliseconds of a step here and with the sources of `other`, and the median ratio within a round."""
    if not (other / "lgn" / "__init__.py").is_file():
        raise ValueError(f"against must be a directory of sources, such as the src of a worktree, got {other}")
    program = WORKER.format(threads=threads, shape=shape, network=NETWORKS[settings])
    trees = {"here": Path(lgn.__file__).parents[1], "before": other}
    with ExitStack() as stack:
        workers = {name: stack.enter_context(_started(program, tree)) for name, tree in trees.items()}
        rows = [{name: _asked(worker) for name, worker in workers.items()} for _ in range(rounds + 3)][3:]
        for worker in workers.values():
            assert worker.stdin is not None
            worker.stdin.close()
    fewest = {name: round(min(row[name] for row in rows), 2) for name in trees}
    return fewest | {"times_faster": round(median(row["before"] / row["here"] for row in rows), 3)}


def _started(program: str, tree: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(tree)},
    )


def _asked(worker: subprocess.Popen[str]) -> float:
    time.sleep(REST)
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdin.write("step\n")
    worker.stdin.flush()
    return float(worker.stdout.readline())
