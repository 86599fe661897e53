"""The measurements of the speed benchmark, part by part."""

import platform
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from lgn.files import read_json, write_json
from lgn.nn import UnfoldedEncoder, merge, project
from lgn.penalties import AuxiliaryInverse, SingularValues
from lgn.training import build_model, build_penalty, preset
from studies.speed.authors import authors_step
from studies.speed.group_steps import group_steps
from studies.speed.processes import answer, growth, memory
from studies.speed.scaling import scaling
from studies.speed.steps import (
    BATCH,
    CLIP,
    SHAPES,
    paper_step,
    paths,
    random_batch,
    released_step,
    straightforward_step,
)
from studies.speed.timing import interleaved, ratios

GEMM_SIZE = 2048  # side of the matrices whose product shows the speed of the machine
PARTS = ("steps", "released", "profile", "memory", "growth", "scaling", "groups", "answer")
QUICK = ("steps", "released", "scaling")


def measure(
    quick: bool,
    out: Path,
    chosen: Sequence[str] = (),
    authors: Path | None = None,
    escnn: Path | None = None,
    threads: int = 2,
) -> None:
    """Measure all parts, or some; other parts of the file stay as they are."""
    rounds = 5 if quick else 30
    torch.manual_seed(0)
    result: dict[str, Any] = read_json(out) if chosen and out.is_file() else {}
    machine = platform.processor() or platform.machine()
    result |= {"threads": threads, "rounds": rounds, "batch": BATCH, "torch": torch.__version__, "machine": machine}
    measures: dict[str, Callable[[], dict[str, Any]]] = {
        "steps": lambda: _steps_of_shapes(rounds, threads),
        "released": lambda: {"released": {name: _released(SHAPES[name], rounds, threads, authors) for name in SHAPES}},
        "profile": lambda: {"parts": {name: _profiles(SHAPES[name], rounds, threads) for name in SHAPES}},
        "memory": lambda: memory(threads),
        "growth": lambda: growth(threads),
        "scaling": lambda: {"scaling": scaling(rounds // 2)},
        "groups": lambda: {"group_networks": group_steps(threads, rounds, escnn)},
        "answer": lambda: answer(threads),
    }
    for part in chosen or (QUICK if quick else PARTS):
        result |= measures[part]()
        write_json(out, result)


def _steps_of_shapes(rounds: int, threads: int) -> dict[str, Any]:
    shapes = {name: _steps(shape, rounds, threads) for name, shape in SHAPES.items()}
    gemm = max(shape["gemm_gflops"] for shape in shapes.values())
    inference = {name: _inference(shape, rounds, threads) for name, shape in SHAPES.items()}
    return {"shapes": shapes, "gemm_gflops": gemm, "inference": inference}


def _steps(shape: tuple[int, int, int], rounds: int, threads: int) -> dict[str, Any]:
    """Milliseconds of each way to make a step, interleaved, and ratios."""
    one, other = torch.randn(2, GEMM_SIZE, GEMM_SIZE)
    functions = {"straightforward": straightforward_step(shape)}
    functions |= {path: paper_step(shape, path=path) for path in paths()}
    functions["no penalty"] = paper_step(shape, penalty=None)
    functions["free filters"] = paper_step(shape, penalty=None, generator="free")
    # What the machine can do is measured among the steps: a slow moment slows both.
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


def _released(shape: tuple[int, int, int], rounds: int, threads: int, authors: Path | None) -> dict[str, Any]:
    """The same with the settings of the authors' code; their own class among the steps where it is given."""
    functions = {"straightforward": straightforward_step(shape, released=True)}
    if authors is not None:
        functions["authors"] = authors_step(authors, shape)
    functions |= {path: released_step(shape, path=path) for path in paths()}
    functions["settings of the text"] = paper_step(shape)
    times = interleaved(functions, rounds, threads=threads)
    chosen, base = times[paths()[-1]], "straightforward" if authors is None else "authors"
    return {
        "milliseconds": times,
        "times_faster_than": {base: times[base] / chosen},
        "over_the_text": chosen / times["settings of the text"],
    }


def _penalty_shares(shape: tuple[int, int, int], rounds: int, threads: int) -> dict[str, float]:
    """What each penalty adds to a step, of the step without one.

    Differences of a few percent need what they compare side by side, and many rounds: medians of ratios.
    """
    shares: dict[str, float] = {}
    for ending, share in {"": "set", " per channel": "channel"}.items():
        steps = {
            name: paper_step(shape, penalty=penalty, share=share)
            for name, penalty in {"none": None, "inverse": AuxiliaryInverse, "singular values": SingularValues}.items()
        }
        of_none = ratios(steps, "none", rounds, threads=threads)
        shares |= {name + ending: ratio - 1 for name, ratio in of_none.items()}
    return shares


def multiplications(shape: tuple[int, int, int], layers: int = 4, filters: int = 20, size: int = 6) -> int:
    """Multiplications of a step that no arrangement saves: analysis, synthesis and their gradients.

    The first layer has one analysis and one filter gradient; every other has two products forward, two backward, and
    two filter gradients.
    """
    channels, height, width = shape
    one = BATCH * filters * channels * size**2 * (height + 3 - size) * (width + 3 - size)
    return one * (2 + 6 * (layers - 1))


def _inference(shape: tuple[int, int, int], rounds: int, threads: int) -> dict[str, float]:
    """Images a second of the merged encoder, and of the same encoder with free filters."""
    images, _ = random_batch(shape, BATCH)
    group = UnfoldedEncoder(shape[0]).eval()
    models = {"merged": merge(group), "free": UnfoldedEncoder(shape[0], generator="free").eval()}

    def forward(model: nn.Module) -> Callable[[], Tensor]:
        return torch.no_grad()(lambda: model(images))

    times = interleaved({name: forward(model) for name, model in models.items()}, rounds, threads=threads)
    speeds = {f"{name}_images_per_second": 1e3 * BATCH / ms for name, ms in times.items()}
    return speeds | {"merged_over_free": times["merged"] / times["free"]}


def _profiles(shape: tuple[int, int, int], rounds: int, threads: int) -> dict[str, Any]:
    return {settings: _profile(settings, shape, rounds, threads) for settings in ("paper", "released")}


def _profile(settings: str, shape: tuple[int, int, int], rounds: int, threads: int) -> dict[str, float]:
    """Fewest milliseconds of each part of a step of the path that is chosen."""
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
    return {name: round(ms, 3) for name, ms in fewest.items()}
