"""Real signals: outlines of leaves and of arrow heads, from the package aeon on PyPI.

The outline of a leaf is closed. If it began at a random point, a shift round the ring would be a symmetry, so the same
outlines are also asked after each was shifted by a random amount. The wheel is fetched with its checksum; nothing in it
is installed or run.
"""

import zipfile
from collections.abc import Iterator
from functools import cache
from statistics import mean
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from lgn.analysis.structure import offset_share
from lgn.discovery.images import discover_images
from studies.packages import archive_of
from studies.runner import Cell, grid
from studies.symmetry.cases import verdicts

AEON = "aeon", "aeon-1.6.0-py3-none-any.whl", "d05227086706f80111ac5fee8de4d5d3115bb3bcfd1c786c8629393055816409"
SETS = {"outlines of leaves": "OSULeaf", "the same, begun anywhere": "OSULeaf", "outlines of arrow heads": "ArrowHead"}
NEIGHBOURS = 32  # a tip is higher than this part of the outline in either direction


def cells(quick: bool) -> Iterator[Cell]:
    for seed in range(0 if quick else 5):
        yield from grid(measure, signals=SETS, seed=(seed,))


def measure(signals: str, seed: int) -> dict[str, Any]:
    """The verdicts, how circulant the covariance is, and where outlines begin."""
    x = outlines(SETS[signals])
    if signals == "the same, begun anywhere":
        x = begun_anywhere(x, seed)
    found = discover_images(x, kind="signals", seed=seed)
    centred = (x - x.mean(0))[:, 0].double()
    return {
        **verdicts(found, lambda _: None),
        "needed": {row.name: mean(row.needed) for row in found.rows if row.needed},
        "circulant": round(float(offset_share(centred.T @ centred, (centred.shape[1],), wrap=True)), 4),
        "begins": extremes(x),
    }


@cache
def outlines(name: str) -> Tensor:
    rows = []
    with zipfile.ZipFile(archive_of(*AEON)) as archive:
        for part in ("TRAIN", "TEST"):
            text = archive.read(f"aeon/datasets/data/{name}/{name}_{part}.ts").decode()
            lines = [line for line in text.splitlines() if line and line[0] not in "#@"]
            rows += [[float(value) for value in line.rsplit(":", 1)[0].split(",")] for line in lines]
    return torch.tensor(rows)[:, None]


def begun_anywhere(signals: Tensor, seed: int) -> Tensor:
    """Every signal shifted round its ring by a random amount, (N, 1, T)."""
    random = torch.Generator().manual_seed(seed)
    shifts = torch.randint(signals.shape[-1], (len(signals), 1, 1), generator=random)
    return signals.gather(-1, (torch.arange(signals.shape[-1]) + shifts) % signals.shape[-1])


def extremes(signals: Tensor) -> dict[str, float]:
    """The share of signals with a tip, or a notch, within three values of the beginning, and of any place."""
    reach = signals.shape[-1] // NEIGHBOURS
    found: dict[str, float] = {}
    for name, sign in (("tip", 1), ("notch", -1)):
        ring = F.pad(sign * signals, (reach, reach), mode="circular")
        highest = (F.max_pool1d(ring, 2 * reach + 1, 1) == sign * signals).float()
        near = F.max_pool1d(F.pad(highest, (3, 3), mode="circular"), 7, 1)[:, 0]
        found |= {name: round(float(near[:, 0].mean()), 4), f"{name} anywhere": round(float(near.mean()), 4)}
    return found
