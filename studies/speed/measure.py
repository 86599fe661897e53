"""The cost of a training step: timings in this process. Every function returns the measurements of one part.

With LGN_AUTHORS, a directory with model.py of the authors' code, that code is run and timed as well. With LGN_ESCNN, a
directory into which escnn was installed, its networks are timed as well.
"""

import os
import platform
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from lgn.nn import Classifier, UnfoldedEncoder, merge, project
from lgn.penalties import AuxiliaryInverse, SingularValues
from lgn.training import build_model, build_penalty, preset
from studies.runner import Cell, cell
from studies.speed import processes
from studies.speed.others import authors_step, straightforward_step
from studies.speed.steps import (
    BATCH,
    CLIP,
    SHAPES,
    Shape,
    model_step,
    paper_step,
    paths,
    random_batch,
    released_step,
)
from studies.speed.timing import Functions, interleaved, ratios

GEMM_SIZE = 2048  # side of the matrices whose product shows the speed of the machine
SCALING_BATCH = 64
USUAL = {"kernel_size": 6, "order": 4, "num_sets": 5}
CHANGES = {"kernel_size": (3, 4, 6, 8, 11, 16), "order": (2, 8), "num_sets": (2, 10)}


def steps(rounds: int, threads: int) -> dict[str, Any]:
    """Steps with the settings of the paper, and the speed of merged networks."""
    torch.manual_seed(0)
    shapes = {name: _steps(shape, rounds, threads) for name, shape in SHAPES.items()}
    machine = platform.processor() or platform.machine()
    return {
        **{"threads": threads, "rounds": rounds, "batch": BATCH, "torch": torch.__version__, "machine": machine},
        "shapes": shapes,
        "gemm_gflops": max(shape["gemm_gflops"] for shape in shapes.values()),
        "inference": {name: _inference(shape, rounds, threads) for name, shape in SHAPES.items()},
    }


def _steps(shape: Shape, rounds: int, threads: int) -> dict[str, Any]:
    one, other = torch.randn(2, GEMM_SIZE, GEMM_SIZE)
    functions = {"straightforward": straightforward_step(shape)}
    functions |= {path: paper_step(shape, path=path) for path in paths()}
    functions["no penalty"] = paper_step(shape, penalty=None)
    functions["free filters"] = paper_step(shape, penalty=None, generator="free")
    # The product is measured among the steps: a slow moment slows both.
    times = interleaved(functions | {"gemm": lambda: one @ other}, rounds, threads=threads)
    product = times.pop("gemm")
    floor = product * multiplications(shape) / GEMM_SIZE**3
    return {
        "milliseconds": times,
        "gemm_gflops": 2 * GEMM_SIZE**3 / product / 1e6,
        "ratio_to_straightforward": {path: times["straightforward"] / times[path] for path in paths()},
        "floor_milliseconds": floor,
        "over_floor": times[paths()[-1]] / floor,
        "penalty_share": _penalty_shares(shape, rounds, threads),
        "group_over_free_filters": times["no penalty"] / times["free filters"],
    }


def released(rounds: int, threads: int) -> dict[str, Any]:
    """Steps with the settings of the authors' code; their own class among the steps where LGN_AUTHORS is given."""
    authors = os.environ.get("LGN_AUTHORS")
    shapes = {}
    for name, shape in SHAPES.items():
        functions = {"straightforward": straightforward_step(shape, released=True)}
        if authors is not None:
            functions["authors"] = authors_step(Path(authors), shape)
        functions |= {path: released_step(shape, path=path) for path in paths()}
        functions["settings of the text"] = paper_step(shape)
        times = interleaved(functions, rounds, threads=threads)
        base = "straightforward" if authors is None else "authors"
        shapes[name] = {"milliseconds": times, "times_faster_than": {base: times[base] / times[paths()[-1]]}}
    return {"shapes": shapes}


def _penalty_shares(shape: Shape, rounds: int, threads: int) -> dict[str, float]:
    shares: dict[str, float] = {}
    for ending, share in {"": "set", " per channel": "channel"}.items():
        functions = {
            name: paper_step(shape, penalty=penalty, share=share)
            for name, penalty in {"none": None, "inverse": AuxiliaryInverse, "singular values": SingularValues}.items()
        }
        of_none = ratios(functions, "none", rounds, threads=threads)
        shares |= {name + ending: ratio - 1 for name, ratio in of_none.items()}
    return shares


def multiplications(shape: Shape, layers: int = 4, filters: int = 20, size: int = 6) -> int:
    """Multiplications of a step that no arrangement saves: analysis, synthesis and their gradients.

    The first layer has one analysis and one filter gradient; every other has two products forward, two backward, and
    two filter gradients.
    """
    channels, height, width = shape
    one = BATCH * filters * channels * size**2 * (height + 3 - size) * (width + 3 - size)
    return one * (2 + 6 * (layers - 1))


def _inference(shape: Shape, rounds: int, threads: int) -> dict[str, float]:
    images, _ = random_batch(shape, BATCH)
    group = UnfoldedEncoder(shape[0]).eval()
    models = {"merged": merge(group), "free": UnfoldedEncoder(shape[0], generator="free").eval()}

    forwards: Functions = {name: torch.no_grad()(partial(model, images)) for name, model in models.items()}
    times = interleaved(forwards, rounds, threads=threads)
    speeds = {f"{name}_images_per_second": 1e3 * BATCH / ms for name, ms in times.items()}
    return speeds | {"merged_over_free": times["merged"] / times["free"]}


def profile(rounds: int, threads: int) -> dict[str, Any]:
    both = ("paper", "released")
    of = {name: {way: _profile(way, shape, rounds, threads) for way in both} for name, shape in SHAPES.items()}
    return {"shapes": of}


def _profile(settings: str, shape: Shape, rounds: int, threads: int) -> dict[str, float]:
    config = preset(settings)
    model = build_model(config, shape, 10, "classify")
    penalty = build_penalty(config, model)
    assert penalty is not None
    parameters = [*model.parameters(), *penalty.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=1e-3, fused=True)
    images, labels = random_batch(shape, BATCH)
    parts: dict[str, Callable[[Tensor], Any]] = {
        "forward": lambda _: nn.functional.cross_entropy(model(images), labels),
        "penalty": lambda loss: loss + penalty(),
        "backward": lambda loss: loss.backward(),
        "clip": lambda _: nn.utils.clip_grad_norm_(parameters, CLIP),
        "Adam": lambda _: optimizer.step(),
        "projection": lambda _: project(model) if config.network.norm is not None else None,
    }
    fewest = dict.fromkeys(parts, float("inf"))
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        for _ in range(rounds):
            optimizer.zero_grad()
            value: Any = None
            for name, part in parts.items():
                began = time.perf_counter()
                value = part(value)
                fewest[name] = min(fewest[name], 1e3 * (time.perf_counter() - began))
    finally:
        torch.set_num_threads(before)
    return fewest


def scaling(rounds: int, threads: int) -> dict[str, Any]:
    """Milliseconds of a step and of orbits and penalty alone, by kernel size, order and number of sets; one thread."""
    torch.manual_seed(0)

    def row(setting: dict[str, int]) -> dict[str, Any]:
        encoder = UnfoldedEncoder(1, setting["num_sets"], setting["kernel_size"], num_layers=4, group=setting["order"])
        model = Classifier(encoder, 10)
        penalty = AuxiliaryInverse(model, 1e-3)
        functions = {
            "step": model_step(model, penalty, SHAPES["mnist"], SCALING_BATCH),
            "orbits_and_penalty": lambda: (encoder.bank().sum() + penalty()).backward(),
        }
        return setting | interleaved(functions, rounds // 2, threads=1)

    return {"rows": [row(USUAL | {name: value}) for name, values in CHANGES.items() for value in values]}


PARTS: dict[str, Callable[[int, int], dict[str, Any]]] = {
    "steps": steps,
    "released": released,
    "profile": profile,
    "memory": processes.memory,
    "growth": processes.growth,
    "scaling": scaling,
    "groups": processes.group_steps,
    "answer": processes.answer,
}
QUICK = ("steps", "released", "scaling")


def cells(part: str, quick: bool) -> Iterator[Cell]:
    """One cell with all measurements of a part."""
    if not quick or part in QUICK:
        yield cell(PARTS[part], {"rounds": 5 if quick else 30, "threads": 2})
