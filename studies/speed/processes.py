"""Measurements in processes of their own: memory, the effect of freed memory, growth with a setting, and an answer.

The allocator is a setting of a process, and so is the largest memory that it had.
"""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

import lgn
from lgn import data
from lgn.discovery.images import EVIDENCE, symmetries
from lgn.nn import UnfoldedEncoder
from lgn.training.processes import keep_freed_memory
from studies.speed.steps import BATCH, SHAPES, paper_step, paths, straightforward_step
from studies.speed.timing import interleaved

CHANNELS = 3
# Images of 224 pixels have 60 times the pixels of CIFAR-10: a batch of 32 stays below 8 GB.
GROWTH: dict[str, list[dict[str, int]]] = {
    "image side, 32 a batch": [{"side": side, "batch": 32} for side in (32, 64, 128, 224)],
    "sets": [{"num_sets": count} for count in (5, 20, 64)],
    "order": [{"group": order} for order in (4, 8, 16)],
    "batch": [{"batch": batch} for batch in (32, 128, 512)],
    "kernel size": [{"kernel_size": size} for size in (3, 7, 11, 13)],
}
USUAL = {"side": 32, "batch": BATCH, "num_sets": 5, "group": 4, "kernel_size": 6}


def in_a_process(function: Callable[..., Any], *arguments: Any, before: tuple[str, ...] = ()) -> Any:
    """The result of a function in a new process; its arguments are plain values.

    before: directories whose modules come before all others
    """
    call = f"{function.__name__}(*{arguments!r})"
    program = f"import json; from {function.__module__} import {function.__name__}; print(json.dumps({call}))"
    places = [*before, str(Path(lgn.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(places)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    return json.loads(done.stdout.splitlines()[-1])


def most_memory() -> float:
    """The largest memory of this process in MB. A child would inherit that of getrusage from its parent."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(status["VmHWM"].split()[0]) / 1024


def memory(threads: int) -> dict[str, Any]:
    """The largest memory of each way to make a step, and the effect of keeping freed memory."""
    ways = ("straightforward", *paths())
    peaks = {shape: {way: in_a_process(peak_of, shape, way) for way in ways} for shape in SHAPES}
    freed = {shape: {} for shape in SHAPES}  # type: dict[str, dict[str, dict[str, float]]]
    for shape, found in freed.items():
        for _ in range(2):
            for name in ("given back", "kept"):
                step = in_a_process(faults_of, shape, threads, name == "kept")
                best = found.setdefault(name, step)
                found[name] = {key: min(value, best[key]) for key, value in step.items()}
    return {"peak_memory_mb": peaks, "freed_memory": freed}


def peak_of(shape: str, way: str) -> float:
    step = straightforward_step(SHAPES[shape]) if way == "straightforward" else paper_step(SHAPES[shape], path=way)
    for _ in range(3):
        step()
    return most_memory()


def faults_of(shape: str, threads: int, keep: bool, steps: int = 15) -> dict[str, float]:
    if keep:
        keep_freed_memory()
    step = paper_step(SHAPES[shape])
    interleaved({"warm up": step}, 1, threads=threads)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    best = interleaved({"step": step}, steps, threads=threads, warm_up=0)["step"]
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
    return {"milliseconds": best, "page_faults": faults / steps}


def growth(threads: int, rounds: int = 3) -> dict[str, Any]:
    """Milliseconds and memory of the chosen path and of the plain path, for each setting."""
    rows: list[dict[str, Any]] = []
    measured: dict[tuple[int, ...], dict[str, Any]] = {}
    for name, settings in GROWTH.items():
        for setting in settings:
            whole = USUAL | setting
            found = measured.setdefault(tuple(whole.values()), {})
            for way in ("auto", "plain") if not found else ():
                found[way] = in_a_process(growth_of, whole, way, threads, rounds)
            row = {"setting": name, "value": next(iter(setting.values())), "path": found["auto"]["path"]}
            numbers = {way: {key: of[key] for key in ("milliseconds", "peak_mb")} for way, of in found.items()}
            rows.append(row | {"chosen": numbers["auto"], "plain": numbers["plain"]})
    return {"growth_by_path": rows}


def growth_of(setting: dict[str, int], way: str, threads: int, rounds: int) -> dict[str, Any]:
    keep_freed_memory()
    network: dict[str, Any] = dict(setting)
    side, batch = network.pop("side"), network.pop("batch")
    shape = (CHANNELS, side, side)
    path = UnfoldedEncoder(CHANNELS, path=way, **network).kernel(torch.empty(1, *shape))  # type: ignore[arg-type]
    step = paper_step(shape, path=way, batch=batch, **network)
    milliseconds = interleaved({"step": step}, rounds, threads=threads, warm_up=1)["step"]
    return {"path": path, "milliseconds": round(milliseconds, 2), "peak_mb": round(most_memory())}


def answer(threads: int) -> dict[str, Any]:
    """Seconds of each stage of the answer about the bundled digits."""
    return {"answer": in_a_process(answer_of, threads)}


def answer_of(threads: int) -> dict[str, Any]:
    keep_freed_memory()
    torch.set_num_threads(threads)
    digits = data.load("digits")
    assert digits.train.labels is not None
    assert digits.test.labels is not None
    images = torch.cat([digits.train.samples, digits.test.samples])
    labels = torch.cat([digits.train.labels, digits.test.labels])
    began = time.perf_counter()
    stages: list[tuple[str, float]] = []
    symmetries(images, labels, evidence=EVIDENCE, progress=lambda name: stages.append((name, time.perf_counter())))
    ends = [*(at for _, at in stages[1:]), time.perf_counter()]
    seconds = {name: round(end - at, 2) for (name, at), end in zip(stages, ends, strict=True)}
    return {"images": len(images), "seconds": round(ends[-1] - began, 2), "stages": seconds}
