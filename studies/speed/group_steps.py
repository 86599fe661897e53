"""A training step of a group network beside plain convolutions with as many channels, and beside escnn's where it is.

escnn is no part of this library and needs an older numpy: `--escnn DIR` is a directory that it was installed into, with
`pip install --target DIR --no-deps "numpy<2" escnn lie_learn joblib cloudpickle pymanopt autograd`.
"""

import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.nn import GroupNet, merge
from lgn.training.processes import keep_freed_memory
from studies.speed.processes import in_a_process
from studies.speed.steps import random_batch
from studies.speed.timing import timed

GROUPS, BATCHES, SHAPE = ("C4", "C8"), (32, 128), (1, 28, 28)
CLASSES = 10


def group_steps(threads: int, rounds: int, escnn: Path | None = None) -> list[dict[str, Any]]:
    """A row for each group and batch: fewest milliseconds of each network, and medians of ratios within a round."""
    if escnn is not None and not (escnn / "escnn").is_dir():
        raise ValueError(f"escnn must be a directory that escnn was installed into, got {escnn}")
    before = () if escnn is None else (str(escnn),)
    cells = [(group, batch) for group in GROUPS for batch in BATCHES]
    return [in_a_process(steps_of, *cell, threads, rounds, bool(before), before=before) for cell in cells]


def steps_of(group: str, batch: int, threads: int, rounds: int, with_escnn: bool) -> dict[str, Any]:
    """What `group_steps` asks of each of its processes."""
    keep_freed_memory()
    net = GroupNet(SHAPE[0], CLASSES, group=group)
    networks: dict[str, nn.Module] = {"group": net, "plain": plain_of(net)}
    if with_escnn:
        networks["escnn"] = escnn_of(net)
    steps = {name: _step(each, batch) for name, each in networks.items()}
    rows = timed(steps, rounds, threads, warm_up=3)
    others = [name for name in networks if name != "group"]
    return {
        "group": group,
        "batch": batch,
        "sets": list(net.widths),
        "milliseconds": {name: round(min(row[name] for row in rows), 2) for name in networks},
        "over": {name: round(median(row["group"] / row[name] for row in rows), 3) for name in others},
    }


def plain_of(net: GroupNet) -> nn.Module:
    """The same network of plain convolutions and normalisations, all trained."""
    plain = merge(net)
    plain.norms = nn.ModuleList(nn.BatchNorm2d(sets * net.order) for sets in net.widths)
    return plain.requires_grad_()


def escnn_of(net: GroupNet) -> nn.Module:
    """A network of regular fields, as many as there are sets."""
    warnings.simplefilter("ignore")  # of what it does without
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
