"""What a group layer costs beside a convolution, and what each penalty costs.

Expected: a training step of `GroupConv2d` at most 1.15 times that of `nn.Conv2d`, a merged layer's forward at most 1.02
times. It takes about half a minute.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from lgn.benchmarks.timing import interleaved
from lgn.generators import Dense, Generator
from lgn.nn import GroupConv2d, merge
from lgn.penalties import AuxiliaryInverse, Closure, LogDeterminant, Orthogonality, Penalty, SingularValues

# One thread by default: what is compared is work. With more, every operation also waits for the pool, for as long as
# the machine's scheduler likes, and the group layer has more operations, though each does little.
CHANNELS, SETS, ORDER, KERNEL, BATCH, SIZE = 3, 5, 4, 6, 128, 32  # the paper's layer on a batch of CIFAR-10
PENALTIES: dict[str, type[Penalty]] = {
    "AuxiliaryInverse": AuxiliaryInverse,
    "SingularValues": SingularValues,
    "LogDeterminant": LogDeterminant,
    "Orthogonality": Orthogonality,
    "Closure": Closure,
}


def layer_costs(rounds: int = 200, threads: int = 1, seed: int = 0) -> dict[str, Any]:
    """Milliseconds of a training step and of a forward: group layer, merged layer, plain convolution; and ratios."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        images = torch.randn(BATCH, CHANNELS, SIZE, SIZE)
        group = GroupConv2d(CHANNELS, SETS, ORDER, KERNEL)
        plain = nn.Conv2d(CHANNELS, SETS * ORDER, KERNEL)
    # The merged layer keeps the filters from before the steps: what is timed is the layer, not what it has learned.
    layers = {"group": group, "merged": merge(group), "plain": plain}
    functions = {f"step {name}": _step(layers[name], images) for name in ("group", "plain")}
    functions |= {f"forward {name}": _forward(layer, images) for name, layer in layers.items()}
    times = interleaved(functions, rounds, threads=threads)
    step, forward = ({n.split()[1]: ms for n, ms in times.items() if n.startswith(k)} for k in ("step", "forward"))
    return {
        "step_ms": step,
        "step_ratio": step["group"] / step["plain"],
        "forward_ms": forward,
        "forward_ratio": forward["group"] / forward["plain"],
        "merged_forward_ratio": forward["merged"] / forward["plain"],
    }


def penalty_costs(
    counts: tuple[int, ...] = (20, 60), rounds: int = 20, threads: int = 1, seed: int = 0
) -> dict[str, Any]:
    """Milliseconds of each penalty, forward and backward, batched and as a Python loop over generators.

    -> {penalty: {count: {"batched_ms", "loop_ms", "speedup"}}}
    """
    result: dict[str, Any] = {name: {} for name in PENALTIES}
    for count in counts:
        functions = {}
        for name, penalty in PENALTIES.items():
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(seed)
                model = _generators(count)
            functions[name, "batched"] = _backward(penalty(model, 1e-3))
            functions[name, "loop"] = _loop([penalty(generator, 1e-3) for generator in _one_by_one(model)])
        times = interleaved({f"{name} {how}": f for (name, how), f in functions.items()}, rounds, threads=threads)
        for name in PENALTIES:
            batched, loop = times[f"{name} batched"], times[f"{name} loop"]
            result[name][str(count)] = {"batched_ms": batched, "loop_ms": loop, "speedup": loop / batched}
    return result


def measure(quick: bool = False, threads: int = 1, seed: int = 0) -> dict[str, Any]:
    """Both measurements as one object that JSON can hold; `quick` takes a twentieth of the rounds."""
    rounds = 10 if quick else 200
    return {
        "schema": 1,
        "threads": threads,
        "rounds": rounds,
        "layer": layer_costs(rounds, threads, seed),
        "penalties": penalty_costs(rounds=rounds // 5, threads=threads, seed=seed),
    }


def describe(result: dict[str, Any]) -> str:
    """What `measure` returned, for people."""
    layer = result["layer"]
    lines = [
        f"{SETS} sets of order {ORDER}, {KERNEL}x{KERNEL}, {CHANNELS} channels, batch {BATCH} of {SIZE}x{SIZE}; "
        f"minima of {result['rounds']} interleaved rounds, threads: {result['threads']}",
        f"step:    group {layer['step_ms']['group']:.2f} ms, plain {layer['step_ms']['plain']:.2f} ms, "
        f"ratio {layer['step_ratio']:.3f}",
        f"forward: group {layer['forward_ms']['group']:.2f} ms, merged {layer['forward_ms']['merged']:.2f} ms, "
        f"plain {layer['forward_ms']['plain']:.2f} ms, ratio {layer['forward_ratio']:.3f}, "
        f"merged {layer['merged_forward_ratio']:.3f}",
        "penalty, forward and backward, 36x36   generators   batched ms   loop ms   loop / batched",
    ]
    for name, counts in result["penalties"].items():
        for count, times in counts.items():
            lines.append(
                f"{name:<37}  {count:>10}  {times['batched_ms']:>11.2f}  {times['loop_ms']:>8.2f}  "
                f"{times['speedup']:>15.2f}"
            )
    return "\n".join(lines)


def _step(layer: nn.Module, images: Tensor) -> Callable[[], None]:
    optimizer = torch.optim.Adam(layer.parameters(), lr=1e-4)

    def step() -> None:
        optimizer.zero_grad()
        layer(images).square().mean().backward()
        optimizer.step()

    return step


def _forward(layer: nn.Module, images: Tensor) -> Callable[[], None]:
    def forward() -> None:
        with torch.no_grad():
            layer(images)

    return forward


def _generators(count: int) -> Generator:
    d = KERNEL * KERNEL
    noise = torch.randn(count, 1, d, d) / d
    return Dense(torch.eye(d) + noise, (KERNEL, KERNEL), ORDER)


def _one_by_one(generator: Generator) -> list[Generator]:
    return [Dense(matrix.unsqueeze(0), generator.patch, generator.order) for matrix in generator.matrix().detach()]


def _backward(penalty: Penalty) -> Callable[[], None]:
    def forward_and_backward() -> None:
        penalty().backward()

    return forward_and_backward


def _loop(penalties: list[Penalty]) -> Callable[[], None]:
    def forward_and_backward() -> None:
        total = torch.zeros(())
        for penalty in penalties:
            total = total + penalty.weight * penalty.score(penalty.generators[0].matrix()[0], ORDER)
        total.backward()

    return forward_and_backward
