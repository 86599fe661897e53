"""How long a training step takes, beside the straightforward one and beside what the machine allows.

`lgn benchmark speed`: expected, on two threads with the inverse penalty, at least 2.3 times the straightforward step
on MNIST's shape and 2.2 times on CIFAR-10's; about ten minutes (`--quick`: one).
"""

import platform
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from lgn.benchmarks.speed_page import describe
from lgn.benchmarks.step_memory import kept_and_given_back, peak
from lgn.benchmarks.steps import BATCH, SHAPES, paper_step, paths, random_batch, straightforward_step
from lgn.benchmarks.timing import interleaved, ratios
from lgn.nn import UnfoldedEncoder, merge
from lgn.penalties import AuxiliaryInverse, SingularValues

GEMM_SIZE = 2048  # of the square matrices whose product shows what the machine can do


def measure(quick: bool = False, threads: int = 2, seed: int = 0) -> dict[str, Any]:
    """All measurements as one object that JSON can hold."""
    rounds = 5 if quick else 40
    torch.manual_seed(seed)
    shapes = {name: _steps(shape, rounds, threads) for name, shape in SHAPES.items()}
    result: dict[str, Any] = {
        "threads": threads,
        "rounds": rounds,
        "batch": BATCH,
        "torch": torch.__version__,
        "machine": platform.processor() or platform.machine(),
        "gemm_gflops": max(shape["gemm_gflops"] for shape in shapes.values()),
        "shapes": shapes,
        "inference": {name: _inference(shape, rounds, threads) for name, shape in SHAPES.items()},
    }
    if not quick:
        result["profile"] = {name: _profile(shape, rounds, threads) for name, shape in SHAPES.items()}
        result["growth"] = _growth(rounds // 4, threads)
        ways = ("straightforward", *paths())
        result["peak_memory_mb"] = {name: {way: peak(name, way) for way in ways} for name in SHAPES}
        result["freed_memory"] = {name: kept_and_given_back(name, threads) for name in SHAPES}
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
        "share_of_floor": floor / times[paths()[-1]],
        "penalty_share": _penalty_shares(shape, rounds, threads),
        "group_over_free_filters": times["no penalty"] / times["free filters"],
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
        of_none = ratios(steps, "none", 3 * rounds, threads=threads)
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


def _growth(rounds: int, threads: int) -> dict[str, dict[str, float]]:
    """Milliseconds of a step on CIFAR-10's shape as one setting grows."""
    settings: dict[str, list[dict[str, Any]]] = {
        "kernel_size": [{"kernel_size": value} for value in (3, 5, 7, 9, 11)],
        "num_sets": [{"num_sets": value} for value in (2, 5, 10, 20)],
        "order": [{"order": value} for value in (2, 4, 8, 16)],
        "batch": [{"batch": value} for value in (32, 64, 128, 256)],
    }
    growth = {}
    for name, values in settings.items():
        steps = {str(value[name]): paper_step(SHAPES["cifar10"], **value) for value in values}
        growth[name] = interleaved(steps, rounds, threads=threads)
    return growth


PARTS = {
    "analysis and synthesis": ("mkldnn_convolution", "thnn_conv2d", "convolution_overrideable"),
    "filter gradients": ("convolution_backward", "mkldnn_convolution_backward"),
}


def _profile(shape: tuple[int, int, int], rounds: int, threads: int) -> dict[str, float]:
    """Milliseconds of the convolutions in a fast step, and of all the rest."""
    step = paper_step(shape, path="fast")
    total = interleaved({"step": step}, rounds, threads=threads)["step"]
    best = dict.fromkeys(PARTS, float("inf"))
    for _ in range(max(rounds // 4, 2)):
        with torch.autograd.profiler.profile(use_kineto=False) as recorded:
            step()
        for part, names in PARTS.items():
            spent = sum(e.self_cpu_time_total for e in recorded.key_averages() if e.key.removeprefix("aten::") in names)
            best[part] = min(best[part], spent / 1e3)
    return best | {"all else: batch normalisation, sums, Adam": max(total - sum(best.values()), 0.0)}


__all__ = ["describe", "measure", "multiplications"]
