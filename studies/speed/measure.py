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
from studies.speed.against import NETWORKS, steps_against
from studies.speed.answer_time import answer_time
from studies.speed.authors import authors_step
from studies.speed.group_steps import group_steps
from studies.speed.growth import growth
from studies.speed.step_memory import kept_and_given_back, peak
from studies.steps import (
    BATCH,
    CLIP,
    SHAPES,
    paper_step,
    paths,
    random_batch,
    released_step,
    straightforward_step,
)
from studies.timing import interleaved, ratios

GEMM_SIZE = 2048  # of the square matrices whose product shows what the machine can do


PARTS = ("steps", "released", "before", "profile", "memory", "growth", "groups", "answer")
OF_QUICK = ("steps", "released", "before")


def measure(
    quick: bool = False,
    threads: int = 2,
    seed: int = 0,
    authors: Path | None = None,
    against: Path | None = None,
    escnn: Path | None = None,
    parts: Sequence[str] = (),
    out: Path | None = None,
) -> dict[str, Any]:
    """All measurements as one object that JSON can hold; or some parts, added to what is in `out`.

    What is measured is written as it comes.
    """
    if wrong := [part for part in parts if part not in PARTS]:
        raise ValueError(f"parts must be of {', '.join(PARTS)}, got {wrong[0]!r}")
    rounds = 5 if quick else 30
    torch.manual_seed(seed)
    result: dict[str, Any] = read_json(out) if parts and out is not None and out.is_file() else {}
    result |= {
        "threads": threads,
        "rounds": rounds,
        "batch": BATCH,
        "torch": torch.__version__,
        "machine": platform.processor() or platform.machine(),
    }
    by_shape: dict[str, dict[str, Callable[[str], Any]]] = {
        "steps": {
            "shapes": lambda name: _steps(SHAPES[name], rounds, threads),
            "inference": lambda name: _inference(SHAPES[name], rounds, threads),
        },
        "released": {"released": lambda name: _released(SHAPES[name], rounds, threads, authors)},
        "profile": {
            "parts": lambda name: {each: _profile(each, SHAPES[name], rounds, threads) for each in NETWORKS},
        },
        "memory": {
            "peak_memory_mb": lambda name: {way: peak(name, way) for way in ("straightforward", *paths())},
            "freed_memory": lambda name: kept_and_given_back(name, threads),
        },
    }
    if against is not None:
        by_shape["before"] = {
            "before": lambda name: {each: steps_against(against, name, each, threads, rounds) for each in NETWORKS}
        }
    whole: dict[str, Callable[[], dict[str, Any]]] = {
        "growth": lambda: {"growth_by_path": growth(threads)},
        "groups": lambda: {"group_networks": group_steps(threads, rounds, escnn)},
        "answer": lambda: {"answer": answer_time(threads)},
    }
    for part in parts or (OF_QUICK if quick else PARTS):
        for key, of_shape in by_shape.get(part, {}).items():
            result[key] = {name: of_shape(name) for name in SHAPES}
        result |= whole[part]() if part in whole else {}
        if part == "steps":
            result["gemm_gflops"] = max(shape["gemm_gflops"] for shape in result["shapes"].values())
        if out is not None:
            write_json(out, result)
    return result


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
