"""Measurements in processes of their own: memory, growth with a setting, group networks, and an answer.

The allocator is a setting of a process, and so is the largest memory that it had. The networks of escnn need an older
numpy, from a directory into which it was installed with
`pip install --target DIR --no-deps "numpy<2" escnn lie_learn joblib cloudpickle pymanopt autograd`.
"""

import json
import os
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

import lgn
from lgn.discovery.images import discover_images
from lgn.nn import GroupNet, UnfoldedEncoder, merge
from lgn.training.processes import keep_freed_memory
from studies.images import labelled_images
from studies.speed.others import straightforward_step
from studies.speed.steps import BATCH, SHAPES, paper_step, paths, random_batch
from studies.speed.timing import interleaved, timed

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


def memory(rounds: int, threads: int) -> dict[str, Any]:
    ways = ("straightforward", *paths())
    peaks = {shape: {way: in_a_process(peak_of, shape, way) for way in ways} for shape in SHAPES}
    freed: dict[str, dict[str, dict[str, float]]] = {shape: {} for shape in SHAPES}
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


def growth(rounds: int, threads: int) -> dict[str, Any]:
    rows: list[dict[str, Any]] = []
    measured: dict[tuple[int, ...], dict[str, Any]] = {}
    for name, settings in GROWTH.items():
        for setting in settings:
            whole = USUAL | setting
            found = measured.setdefault(tuple(whole.values()), {})
            for way in ("auto", "plain") if not found else ():
                found[way] = in_a_process(growth_of, whole, way, threads, rounds // 10)
            row = {"setting": name, "value": next(iter(setting.values())), "path": found["auto"]["path"]}
            rows.append(row | {"chosen": found["auto"], "plain": found["plain"]})
    return {"rows": rows}


def growth_of(setting: dict[str, int], way: str, threads: int, rounds: int) -> dict[str, Any]:
    keep_freed_memory()
    network: dict[str, Any] = dict(setting)
    side, batch = network.pop("side"), network.pop("batch")
    shape = (CHANNELS, side, side)
    path = UnfoldedEncoder(CHANNELS, path=way, **network).kernel(torch.empty(1, *shape))  # type: ignore[arg-type]
    step = paper_step(shape, path=way, batch=batch, **network)
    milliseconds = interleaved({"step": step}, rounds, threads=threads, warm_up=1)["step"]
    return {"path": path, "milliseconds": milliseconds, "peak_mb": round(most_memory())}


def answer(rounds: int, threads: int) -> dict[str, Any]:
    return in_a_process(answer_of, threads)


def answer_of(threads: int) -> dict[str, Any]:
    keep_freed_memory()
    torch.set_num_threads(threads)
    images, labels = labelled_images("digits")
    began = time.perf_counter()
    stages: dict[str, float] = {}
    for names in (("data",), ("data", "labels"), ("data", "network"), ("data", "affine")):
        start = time.perf_counter()
        discover_images(images, labels, kind="images", evidence=names)
        stages[names[-1]] = time.perf_counter() - start - stages.get("data", 0.0)
    return {"images": len(images), "answer_seconds": time.perf_counter() - began, "stages": stages}


# Group networks, plain convolutions with as many channels, and escnn.

GROUPS, BATCHES, SHAPE, CLASSES = ("C4", "C8"), (32, 128), (1, 28, 28), 10


def group_steps(rounds: int, threads: int) -> dict[str, Any]:
    """A row for each group and batch: fewest milliseconds of each network, and medians of ratios within a round."""
    escnn = os.environ.get("LGN_ESCNN")
    if escnn is not None and not (Path(escnn) / "escnn").is_dir():
        raise ValueError(f"LGN_ESCNN must be a directory that escnn was installed into, got {escnn}")
    before = () if escnn is None else (escnn,)
    cells = [(group, batch) for group in GROUPS for batch in BATCHES]
    return {"rows": [in_a_process(steps_of, *cell, threads, rounds, bool(before), before=before) for cell in cells]}


def steps_of(group: str, batch: int, threads: int, rounds: int, with_escnn: bool) -> dict[str, Any]:
    keep_freed_memory()
    net = GroupNet(SHAPE[0], CLASSES, group=group)
    networks: dict[str, nn.Module] = {"group": net, "plain": plain_of(net)}
    if with_escnn:
        networks["escnn"] = escnn_of(net)
    steps = {name: _step(network, batch) for name, network in networks.items()}
    rows = timed(steps, rounds, threads)
    others = [name for name in networks if name != "group"]
    return {
        "group": group,
        "batch": batch,
        "sets": list(net.widths),
        "milliseconds": {name: min(row[name] for row in rows) for name in networks},
        "over": {name: median(row["group"] / row[name] for row in rows) for name in others},
    }


def plain_of(net: GroupNet) -> nn.Module:
    plain = merge(net)
    plain.norms = nn.ModuleList(nn.BatchNorm2d(sets * net.order) for sets in net.widths)
    return plain.requires_grad_()


def escnn_of(net: GroupNet) -> nn.Module:
    warnings.simplefilter("ignore")  # about its optional packages
    from escnn import gspaces  # type: ignore[import-not-found]
    from escnn import nn as enn

    turns = gspaces.rot2dOnR2(net.order)
    before = incoming = enn.FieldType(turns, [turns.trivial_repr])
    layers: list[Any] = []
    for number, count in enumerate(net.widths):
        after = enn.FieldType(turns, count * [turns.regular_repr])
        padding = 0 if number == len(net.widths) - 1 else net.kernel_size // 2
        layers.append(enn.R2Conv(before, after, net.kernel_size, padding=padding, bias=False))
        if number < 2:
            layers.append(enn.PointwiseMaxPool(after, 2))
        layers += [enn.InnerBatchNorm(after), enn.ReLU(after)]
        before = after
    return _Fields(
        partial(enn.GeometricTensor, type=incoming), enn.SequentialModule(*layers, enn.GroupPooling(before)), net
    )


class _Fields(nn.Module):
    def __init__(self, wrap: Callable[[Tensor], Any], layers: nn.Module, net: GroupNet) -> None:
        super().__init__()
        self.wrap, self.layers = wrap, layers
        self.head = nn.Linear(net.widths[-1], CLASSES)

    def forward(self, images: Tensor) -> Tensor:
        return self.head(self.layers(self.wrap(images)).tensor.mean((2, 3)))


def _step(net: nn.Module, batch: int) -> Callable[[], None]:
    images, labels = random_batch(SHAPE, batch)
    optimizer = torch.optim.AdamW([p for p in net.parameters() if p.requires_grad], lr=1e-3, fused=True)

    def step() -> None:
        optimizer.zero_grad()
        F.cross_entropy(net(images), labels).backward()
        optimizer.step()

    return step
