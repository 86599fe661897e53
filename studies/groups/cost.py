"""What a layer of a group costs beside a plain convolution with as many filters."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from lgn.nn import GroupConv2d
from studies.runner import Cell
from studies.speed.timing import interleaved, ratios

# One thread: what is compared is work. With more, every operation also waits for the pool, for as long as the machine's
# scheduler likes, and the group layer has more operations, though each does little.
CHANNELS, SETS, KERNEL, BATCH, SIZE = 3, 5, 6, 128, 32  # the paper's layer on a batch of CIFAR-10


def cells(quick: bool) -> Iterator[Cell]:
    """A layer of C4 and one of D4, by two families."""
    for group in ("C4", "D4"):
        for family in ("dense", "representation"):
            key = {"group": group, "family": family}
            yield Cell(key, partial(measure, group, family, 10 if quick else 40))


def measure(group: str, family: str, rounds: int, threads: int = 1) -> dict[str, Any]:
    """Milliseconds of a training step, and the ratio to the plain layer's: the median of ratios within rounds."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        images = torch.randn(BATCH, CHANNELS, SIZE, SIZE)
        layer = GroupConv2d(CHANNELS, SETS, KERNEL, group=group, generator=family, bias=True)
        plain = nn.Conv2d(CHANNELS, layer.out_channels, KERNEL)
    functions = {"group": layer_step(layer, images), "plain": layer_step(plain, images)}
    times = interleaved(functions, rounds, threads=threads)
    ratio = ratios(functions, "plain", rounds, threads=threads)["group"]
    return {
        "group_ms": times["group"],
        "plain_ms": times["plain"],
        "ratio": ratio,
        "of_minima": times["group"] / times["plain"],
    }


def layer_step(layer: nn.Module, images: Tensor) -> Callable[[], None]:
    """A training step of a layer on images, towards zero."""
    optimizer = torch.optim.Adam(layer.parameters(), lr=1e-4)

    def step() -> None:
        optimizer.zero_grad()
        layer(images).square().mean().backward()
        optimizer.step()

    return step
