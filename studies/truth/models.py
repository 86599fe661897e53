"""Networks that were never trained, of every family: whatever is found in them, nobody learned."""

import warnings
from collections.abc import Iterator
from functools import partial
from itertools import cycle, islice, product
from typing import Any

import torch
from torch import nn

import lgn
from lgn.generators import FAMILIES
from studies.runner import Cell
from studies.truth.matrices import has_finding

STARTS = ("orthogonal", "gaussian", "identity")
KINDS = ("converted", "unfolded", "mixed")
LIMIT = 0.05


def cells(quick: bool) -> Iterator[Cell]:
    """One cell a model: families, starts and kinds of network in turn, other seeds each time."""
    families = [name for name in FAMILIES if name != "fixed"]  # a given matrix is no start
    turns = product(families, STARTS, KINDS)
    for seed, (family, start, kind) in enumerate(islice(cycle(turns), 9 if quick else 200)):
        chosen = families[seed % len(families)] if quick else family
        key = {"input": "untrained networks", "family": chosen, "start": start, "network": kind, "seed": seed}
        yield Cell(key, partial(measure, chosen, start, kind, seed, 200))


def measure(family: str, start: str, kind: str, seed: int, draws: int) -> dict[str, Any]:
    """Whether anything at all is found: a structure or a known operator, whole or on U."""
    with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on what few filters determine, and where a start rounds to
        torch.manual_seed(seed)
        model = untrained(family, start, kind)
        analysis = lgn.analyze(model, draws=draws, seed=seed)
    found = any(has_finding(each, analysis.false_discovery_rate) for each in analysis.generators)
    return {"rate": float(found), "limit": LIMIT, "count": 1}


def untrained(family: str, start: Any, kind: str) -> nn.Module:
    """A convolutional network converted to orbits, an unfolded one, or layers of two orders and two sizes."""
    if kind == "converted":
        plain = nn.Sequential(nn.Conv2d(3, 8, 5), nn.ReLU(), nn.Conv2d(8, 8, 3), nn.ReLU(), nn.Conv2d(8, 8, 3))
        return lgn.convert(plain, group=4, generator=family, start=start)
    if kind == "unfolded":
        return lgn.nn.UnfoldedEncoder(1, num_layers=2, num_sets=4, kernel_size=4, generator=family, start=start)
    return nn.Sequential(
        lgn.nn.GroupConv2d(2, 3, 4, group=4, generator=family, start=start, bias=True),
        lgn.nn.GroupConv2d(12, 2, 3, group=2, generator="dense", start="gaussian", bias=True),
    )
