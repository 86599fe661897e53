"""Groups with several generators: in filter banks, in views of images, in deep networks, and their cost."""

from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Any

import torch
from torch import Tensor, nn

from lgn import groups
from lgn.actions import unvec
from lgn.discovery.filters import discover_from_views, fit_generator
from lgn.generators import Fixed, Representation, start_matrices
from lgn.groups import Group, relation_error
from lgn.groups.multiplication import isomorphisms
from lgn.measures import total_error
from lgn.nn import GroupConv2d, GroupStackConv2d, SetBatchNorm2d, equivariance_table
from lgn.transforms import operator
from studies.images import training_images
from studies.runner import Cell, grid
from studies.speed.timing import Functions, interleaved, ratios
from studies.symmetry.sets import random_elements, views

PATCH = (6, 6)
D4 = groups.dihedral(4)

# Generators of a group from a bank of filters.

SETS = 32
PLANTED = ("D4", "C2 x C2", "S3 on channels", "C3 by blocks", "S3 x C2 by blocks")


def planted_cells(quick: bool) -> Iterator[Cell]:
    seeds = range(1 if quick else 4)
    methods = ("least-squares", "relations", "unordered")
    yield from grid(measure_planted, task=PLANTED, noise=(0.0, 0.05), seed=seeds, method=methods)
    yield from grid(measure_planted, task=PLANTED, noise=["unrelated"], method=["relations"], seed=seeds)


def measure_planted(task: str, noise: float | str, method: str, seed: int) -> dict[str, Any]:
    """The relative error of the generators (up to relabelling, if unordered), and of the relations.

    Unrelated filters have no error; their p-value must be large.
    """
    group, matrices, patch = planted(task)
    bank = make_bank(group, matrices, patch, noise, seed, shuffled=method == "unordered")
    # Elements in no order are found in every shuffled bank too, so their p-value says nothing.
    shuffles = 1 if method == "unordered" else 19
    fit = fit_generator(bank, group=group, method=method, shuffles=shuffles)  # type: ignore[arg-type]
    targets = relabelled(group, matrices) if method == "unordered" else [matrices]
    error = None if noise == "unrelated" else min(total_error(fit.matrices, target) for target in targets)
    return {"error": error, "relation_error": fit.relation_error, "p_value": fit.p_value}


def planted(task: str) -> tuple[Group, Tensor, tuple[int, int]]:
    rows, columns = (operator("reflection", PATCH, axis=axis) for axis in ("rows", "columns"))
    if task == "D4":
        return D4, torch.stack([operator("rotation", PATCH, degrees=90), columns]), PATCH
    if task == "C2 x C2":
        return groups.as_group("C2 x C2"), torch.stack([rows, columns]), PATCH
    if task == "S3 on channels":  # three channels for the pixels, and pixels for the channels
        return groups.symmetric(3), torch.stack([_blocks((1, 0, 2), 1), _blocks((0, 2, 1), 1)]), (3, 1)
    if task == "C3 by blocks":
        return groups.cyclic(3), _blocks((1, 2, 0), 12)[None], PATCH
    group = groups.symmetric(3) * groups.cyclic(2)
    return group, torch.stack([_blocks((1, 0, 2), 12), _blocks((0, 2, 1), 12), rows]), PATCH


def _blocks(permutation: tuple[int, ...], size: int) -> Tensor:
    return torch.kron(torch.eye(len(permutation))[list(permutation)], torch.eye(size)).double()


def make_bank(
    group: Group, matrices: Tensor, patch: tuple[int, int], noise: float | str, seed: int, shuffled: bool = False
) -> Tensor:
    """Orbits of random bases, with noise as a share of the filters' size, or noise alone if it is "unrelated".

    -> (sets * order, channels, n, m)
    """
    random = torch.Generator().manual_seed(seed)
    channels = 9 if patch == (3, 1) else 1
    bases = torch.randn(SETS, channels, patch[0] * patch[1], generator=random, dtype=torch.float64)
    filters = torch.einsum("gij,kcj->kgci", group.representation(matrices), bases)
    added = torch.randn(filters.shape, generator=random, dtype=torch.float64)
    filters = added if isinstance(noise, str) else filters + noise * float(filters.std()) * added
    if shuffled:
        filters = torch.stack([one[torch.randperm(group.order, generator=random)] for one in filters])
    return unvec(filters, patch).flatten(0, 1)


def relabelled(group: Group, matrices: Tensor) -> list[Tensor]:
    rho, rows = group.representation(matrices), group.table.tolist()
    automorphisms = isomorphisms(rows, group.generator_elements, group.tree, rows)
    return [rho[[images[a] for a in group.generator_elements]] for images in automorphisms]


# Views of images under unknown elements of a group.

IMAGES, VIEWS = 300, 24
NAMES = {"D4": "D4", "C2 x C2": "C2 x C2", "C4": "C4", "transposition": "C2", "unrelated": "none"}
#: The elements of D4, as `lgn.transforms.act_square` counts them.
ELEMENTS = {"D4": range(8), "C2 x C2": (0, 4, 6, 2), "C4": range(4), "transposition": (0, 5)}


def views_cells(quick: bool) -> Iterator[Cell]:
    data, seeds = (("digits",), 1) if quick else (("mnist", "cifar10"), 5)
    return grid(measure_views, data=data, task=NAMES, noise=(0.0, 0.01, 0.05), seed=range(seeds))


def measure_views(task: str, noise: float, data: str, seed: int) -> dict[str, Any]:
    name = discover_from_views(drawn_views(training_images(data)[:10_000], task, noise, seed), patch=PATCH).name
    return {"name": name, "right": name == NAMES[task], "right_or_none": name in (NAMES[task], "none")}


def drawn_views(images: Tensor, task: str, noise: float, seed: int) -> Tensor:
    """uint8 (N, 1, H, W) -> float (IMAGES, VIEWS, 1, H, W), noise as a share of each image's root mean square"""
    random = torch.Generator().manual_seed(seed)
    make = random_elements(*ELEMENTS[task]) if task in ELEMENTS else None
    seen = views(images, make, IMAGES, VIEWS, random).float()
    size = seen.square().mean((-3, -2, -1), keepdim=True).sqrt()
    return seen + noise * size * torch.randn(seen.shape, generator=random)


# Networks of D4: equivariance for all eight elements, and the errors of the relations after training.

KINDS = {
    "known, float64": (torch.float64, 0.0),
    "known, float32": (torch.float32, 0.0),
    "reflection perturbed": (torch.float64, 0.1),
}


def depth_cells(quick: bool) -> Iterator[Cell]:
    seeds = range(1 if quick else 4)
    return chain(
        grid(measure_depth, seed=seeds, kind=KINDS), grid(trained, kind=["learned from a random start"], seed=seeds)
    )


def measure_depth(kind: str, seed: int) -> dict[str, Any]:
    """The largest and the smallest error of the output over the elements."""
    dtype, perturbed = KINDS[kind]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        turn, flip = operator("rotation", (3, 3), degrees=90), operator("reflection", (3, 3))
        flip = flip + perturbed * torch.randn(9, 9, dtype=torch.float64)
        model = four_layers(torch.stack([turn, flip]), dtype)
        x = torch.randn(4, 2, 13, 13, dtype=dtype)
        table = equivariance_table(model, x, action=("rotation 90", "reflection columns"))
    return {"error": table.worst, "least": min(table.errors[-1])}


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


def trained(kind: str, seed: int) -> dict[str, Any]:
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
    return {"relation_error": float(relation_error(D4, after).max()), "change": total_error(after, before)}


# A layer of a group next to a plain convolution with as many filters, on one thread: with more threads, every operation
# also waits for the pool, and the group layer has more operations.

CHANNELS, LAYER_SETS, KERNEL, BATCH, SIZE = 3, 5, 6, 128, 32  # the paper's layer on a batch of CIFAR-10


def cost_cells(quick: bool) -> Iterator[Cell]:
    return grid(measure_cost, {"rounds": 10 if quick else 40}, group=("C4", "D4"), family=("dense", "representation"))


def measure_cost(group: str, family: str, rounds: int) -> dict[str, Any]:
    """The time of a training step over that of the plain layer: the median of ratios within rounds, and of minima."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        images = torch.randn(BATCH, CHANNELS, SIZE, SIZE)
        layer = GroupConv2d(CHANNELS, LAYER_SETS, KERNEL, group=group, generator=family, bias=True)
        plain = nn.Conv2d(CHANNELS, layer.out_channels, KERNEL)

    def step(optimizer: torch.optim.Optimizer, layer: nn.Module) -> None:
        optimizer.zero_grad()
        layer(images).square().mean().backward()
        optimizer.step()

    layers: dict[str, nn.Module] = {"group": layer, "plain": plain}
    functions: Functions = {
        name: partial(step, torch.optim.Adam(item.parameters(), lr=1e-4), item) for name, item in layers.items()
    }
    times = interleaved(functions, rounds, threads=1)
    ratio = ratios(functions, "plain", rounds, threads=1)["group"]
    return {"ratio": ratio, "of_minima": times["group"] / times["plain"]}
