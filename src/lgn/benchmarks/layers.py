"""What a group layer costs beside a convolution.

Expected: a training step of `GroupConv2d` at most 1.15 times that of `nn.Conv2d`, a merged layer's forward at most 1.02
times. It takes about half a minute.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from lgn.benchmarks.timing import interleaved
from lgn.nn import GroupConv2d, merge

# One thread by default: what is compared is work. With more, every operation also waits for the pool, for as long as
# the machine's scheduler likes, and the group layer has more operations, though each does little.
CHANNELS, SETS, ORDER, KERNEL, BATCH, SIZE = 3, 5, 4, 6, 128, 32  # the paper's layer on a batch of CIFAR-10


def layer_costs(rounds: int = 200, threads: int = 1, seed: int = 0) -> dict[str, Any]:
    """Milliseconds of a training step and of a forward: group layer, merged layer, plain convolution; and ratios."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        images = torch.randn(BATCH, CHANNELS, SIZE, SIZE)
        group = GroupConv2d(CHANNELS, SETS, ORDER, KERNEL)
        plain = nn.Conv2d(CHANNELS, SETS * ORDER, KERNEL)
    # The merged layer keeps the filters from before the steps: what is timed is the layer, not what it has learned.
    layers = {"group": group, "merged": merge(group), "plain": plain}
    functions = {f"step {name}": layer_step(layers[name], images) for name in ("group", "plain")}
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


def measure(quick: bool = False, threads: int = 1, seed: int = 0) -> dict[str, Any]:
    """The measurement as one object that JSON can hold; `quick` takes a twentieth of the rounds."""
    rounds = 10 if quick else 200
    return {
        "schema": 1,
        "threads": threads,
        "rounds": rounds,
        "layer": layer_costs(rounds, threads, seed),
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
    ]
    return "\n".join(lines)


def layer_step(layer: nn.Module, images: Tensor) -> Callable[[], None]:
    """A training step of a layer on images, towards zero."""
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
