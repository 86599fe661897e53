"""Networks of D4: equivariance for all eight elements, and what becomes of it where a generator is not quite right."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from lgn import groups
from lgn.generators import Fixed, Representation, start_matrices
from lgn.groups import relation_error
from lgn.nn import GroupConv2d, GroupStackConv2d, SetBatchNorm2d, equivariance_table
from lgn.transforms import operator
from studies.runner import Cell

D4 = groups.dihedral(4)
SYMMETRY = ("rotation 90", "reflection columns")
KINDS = {
    "known, float64": (torch.float64, 0.0),
    "known, float32": (torch.float32, 0.0),
    "reflection perturbed": (torch.float64, 0.1),
}


def cells(quick: bool) -> Iterator[Cell]:
    """Networks of four layers x seeds, and what training leaves of relations."""
    for seed in range(1 if quick else 4):
        for kind in KINDS:
            yield Cell({"kind": kind, "seed": seed}, partial(measure, kind, seed))
        yield Cell({"kind": "learned from a random start", "seed": seed}, partial(learned, seed))


def measure(kind: str, seed: int) -> dict[str, Any]:
    """The largest error of the output over the elements, and of any layer."""
    dtype, perturbed = KINDS[kind]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        turn, flip = (
            operator(name, (3, 3), **how) for name, how in (("rotation", {"degrees": 90}), ("reflection", {}))
        )
        flip = flip + perturbed * torch.randn(9, 9, dtype=torch.float64)
        model = four_layers(torch.stack([turn, flip]), dtype)
        table = equivariance_table(model, torch.randn(4, 2, 13, 13, dtype=dtype), SYMMETRY)
    return {
        "error": table.worst,
        "least": min(table.errors[-1]),
        "any_layer": max(error for row in table.errors for error in row),
    }


def four_layers(matrices: Tensor, dtype: torch.dtype) -> nn.Sequential:
    """Lifting, a strided layer, a 1x1 layer and another, all normalised, with generators (2, 9, 9) for all."""
    shared = Fixed(matrices.unsqueeze(1).to(dtype), (3, 3), D4)
    one = Fixed(torch.ones(2, 1, 1, 1, dtype=dtype), (1, 1), D4)

    def stack(sets_in: int, sets: int, size: int, stride: int = 1) -> GroupConv2d:
        generator = one if size == 1 else shared
        return GroupStackConv2d(sets_in, sets, size, stride, size // 2, group=D4, generator=generator, dtype=dtype)

    first = GroupConv2d(2, 3, kernel_size=3, group=D4, padding=1, bias="set", generator=shared, dtype=dtype)
    layers = [first, stack(3, 4, 3, 2), stack(4, 4, 1), stack(4, 2, 3)]
    parts = [
        part for layer in layers for part in (layer, SetBatchNorm2d(layer.num_sets, group=D4, dtype=dtype), nn.ReLU())
    ]
    model = nn.Sequential(*parts[:-1])
    with torch.no_grad():  # statistics that are not trivial
        for _ in range(3):
            model(torch.randn(8, 2, 13, 13, dtype=dtype) + 0.3)
    return model.eval()


def learned(seed: int) -> dict[str, Any]:
    """What 200 steps leave of the relations of a `Representation`, in float32."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        shared = Representation(start_matrices("orthogonal", (2, 1), 9), (3, 3), D4)
        model = nn.Sequential(
            GroupConv2d(1, 3, 3, group=D4, generator=shared, share="layer", bias=True),
            nn.ReLU(),
            GroupStackConv2d(3, 2, kernel_size=3, group=D4, generator=shared),
        )
        before = shared.matrix().detach().clone()
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
        x = torch.randn(16, 1, 8, 8)
        for _ in range(200):
            optimizer.zero_grad()
            (model(x).mean((1, 2, 3)) - x.mean((1, 2, 3))).square().mean().backward()
            optimizer.step()
    after = shared.matrix().detach()
    return {
        "relation_error": float(relation_error(D4, after).max()),
        "change": float((after - before).norm() / before.norm()),
    }
