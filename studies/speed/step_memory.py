"""What memory a training step takes, and what keeping it saves: measured in processes of their own.

The allocator is a setting of a process, and so is the most memory that it had.
"""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import lgn
from lgn.training.memory import keep_freed_memory
from studies.steps import SHAPES, paper_step, straightforward_step
from studies.timing import interleaved

STEPS, TURNS = 15, 2


def peak(shape: str, way: str) -> float:
    """The most memory, in MB, of a process that makes a few steps in one of the ways."""
    return float(in_a_process("step_memory", "peak_here", shape, way))


def kept_and_given_back(shape: str, threads: int) -> dict[str, dict[str, float]]:
    """Milliseconds and page faults of a step, of processes that keep what they free and of others, in turn."""
    found: dict[str, dict[str, float]] = {}
    for _ in range(TURNS):
        for name in ("given back", "kept"):
            one = in_a_process("step_memory", "step_here", shape, threads, name == "kept")
            best = found.setdefault(name, one)
            found[name] = {key: min(value, best[key]) for key, value in one.items()}
    return found


def peak_here(shape: str, way: str) -> float:
    """What `peak` asks of its process."""
    step = straightforward_step(SHAPES[shape]) if way == "straightforward" else paper_step(SHAPES[shape], path=way)
    for _ in range(3):
        step()
    return most_memory()


def step_here(shape: str, threads: int, keep: bool) -> dict[str, float]:
    """What `kept_and_given_back` asks of each of its processes."""
    if keep:
        keep_freed_memory()
    step = paper_step(SHAPES[shape])
    interleaved({"warm up": step}, 1, threads=threads)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    best = interleaved({"step": step}, STEPS, threads=threads, warm_up=0)["step"]
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
    return {"milliseconds": best, "page_faults": faults / STEPS}


def in_a_process(module: str, function: str, *arguments: Any, before: tuple[str, ...] = ()) -> Any:
    """What a function of a module of this room returns in a process of its own.

    before: directories whose modules come before all others.
    """
    call = f"{module}.{function}(*{arguments!r})"
    program = f"import json; from studies.speed import {module}; print(json.dumps({call}))"
    places = [*before, str(Path(lgn.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(places)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    return json.loads(done.stdout.splitlines()[-1])  # what others print comes before


def most_memory() -> float:
    """The most memory that this process had, in MB. Not that of getrusage: a child begins with its parent's."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(status["VmHWM"].split()[0]) / 1024
