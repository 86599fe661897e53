"""How time and memory of a step grow with one setting at a time, by the path that is chosen and by the plain one.

Each step is made in a process of its own, since the most memory that a process had is a number of the process.
"""

from typing import Any

import torch

from lgn.nn import UnfoldedEncoder
from lgn.training.memory import keep_freed_memory
from studies.speed.step_memory import in_a_process, most_memory
from studies.steps import BATCH, paper_step
from studies.timing import interleaved

CHANNELS = 3
# Images of 224 pixels have 60 times the pixels of CIFAR-10's: a batch of 32 stays below 8 GB.
SETTINGS: dict[str, list[dict[str, int]]] = {
    "image side, 32 a batch": [{"side": side, "batch": 32} for side in (32, 64, 128, 224)],
    "sets": [{"num_sets": count} for count in (5, 20, 64)],
    "order": [{"group": order} for order in (4, 8, 16)],
    "batch": [{"batch": batch} for batch in (32, 128, 512)],
    "kernel size": [{"kernel_size": size} for size in (3, 7, 11, 13)],
}


USUAL = {"side": 32, "batch": BATCH, "num_sets": 5, "group": 4, "kernel_size": 6}


def growth(threads: int, rounds: int = 3) -> list[dict[str, Any]]:
    """A row for each setting: the path that is chosen, milliseconds and peak memory of it and of the plain path."""
    rows: list[dict[str, Any]] = []
    measured: dict[tuple[int, ...], dict[str, Any]] = {}  # some settings are those that are usual, several times
    for name, settings in SETTINGS.items():
        for setting in settings:
            whole = USUAL | setting
            found = measured.setdefault(tuple(whole.values()), {})
            for way in ("auto", "plain") if not found else ():
                found[way] = in_a_process("growth", "step_of", whole, way, threads, rounds)
            row = {"setting": name, "value": next(iter(setting.values())), "path": found["auto"]["path"]}
            of = {way: {key: value for key, value in each.items() if key != "path"} for way, each in found.items()}
            rows.append(row | {"chosen": of["auto"], "plain": of["plain"]})
    return rows


def step_of(setting: dict[str, int], way: str, threads: int, rounds: int) -> dict[str, Any]:
    """What `growth` asks of each of its processes."""
    keep_freed_memory()
    network: dict[str, Any] = dict(setting)
    side, batch = network.pop("side"), network.pop("batch")
    shape = (CHANNELS, side, side)
    path = UnfoldedEncoder(CHANNELS, path=way, **network).kernel(torch.empty(1, *shape))  # type: ignore[arg-type]
    step = paper_step(shape, path=way, batch=batch, **network)
    milliseconds = interleaved({"step": step}, rounds, threads=threads, warm_up=1)["step"]
    return {"path": path, "milliseconds": round(milliseconds, 2), "peak_mb": round(most_memory())}
