"""Searches for unknown linear maps: in data without a symmetry, in CIFAR-10, with planted groups, and with labels."""

from collections.abc import Iterator
from typing import Any

import torch

import lgn.data
from lgn.data.rotated import turn
from lgn.data.seeds import generator_for
from lgn.transforms import parse_operator
from studies.runner import Cell, grid
from studies.unknown import cases
from studies.unknown.score import compare, discover, facts, measure, short

COUNTS = (1_000, 3_000, 10_000, 60_000)
SEEDS = range(400, 405)  # seeds of which none was used while the rules were made
FEW = 2  # seeds with fewer than 60,000 samples
WITHOUT_SYMMETRY = {"gaussian": cases.gaussian, "skewed": cases.skewed, "mixture": cases.mixture}
RANK = 8
CONTROL_SEEDS, LARGE = range(500, 520), 5
PIXELS = ("flip", "half turn", "quarter turns", "D4")
RINGS = ("uniform angles", "shifts of rings", "any shift of rings")
NAMELESS = ("order 2", "order 3", "order 4", "order 5", "order 6", "D4", "one-parameter")
TASKS = ("turned, by digit", "turned, by turn", "upright, by digit")
PATCH = 6


def controls(quick: bool) -> Iterator[Cell]:
    """Data without a symmetry, few samples first. CIFAR-10 has its flip."""
    for count in (5_000,) if quick else COUNTS:
        for seed in CONTROL_SEEDS[: 1 if quick else LARGE if count == COUNTS[-1] else None]:
            for kind in ("digits",) if quick else ("mnist", "cifar10"):
                samples = min(count, 50_000) if kind == "cifar10" else count
                yield from grid(search_images, kind=[kind], samples=[samples], seed=[seed])
            yield from grid(search_rows, kind=WITHOUT_SYMMETRY, samples=[count], seed=[seed])


def search_images(kind: str, samples: int, seed: int) -> dict[str, Any]:
    x = cases.some(cases.images_of(kind), samples, seed)
    flip = [parse_operator("reflection columns", (14, 14))] if kind == "cifar10" else []
    return measure(cases.Case(x, flip), seed=seed)


def search_rows(kind: str, samples: int, seed: int) -> dict[str, Any]:
    """Random numbers. Every orthogonal map keeps white Gaussian ones, so nothing may be claimed of them."""
    return measure(WITHOUT_SYMMETRY[kind](samples, RANK, seed), seed=seed)


def natural(quick: bool) -> Iterator[Cell]:
    """The flip of CIFAR-10 in images and patches; not in a quick run, which has no CIFAR-10."""
    for seed in () if quick else SEEDS:
        looks = ("images", "patches", "colour images", *(("images, and a network",) if seed == SEEDS[0] else ()))
        yield from grid(search_flip, look=looks, data=("cifar10",), seed=(seed,))


def search_flip(look: str, data: str, seed: int) -> dict[str, Any]:
    images = cases.images_of(data, look == "colour images")
    side = PATCH if look == "patches" else 14
    same = torch.eye(images.shape[1], dtype=torch.float64)
    truth = torch.kron(same, parse_operator("reflection columns", (side, side)))
    options = {"patch": PATCH} if look == "patches" else {}
    return measure(cases.Case(images, [truth], [], options), seed=seed, verify=look == "images, and a network")


def planted(quick: bool) -> Iterator[Cell]:
    """Groups of pixels, rings and channels, and matrices without a name: all groups with a seed, then with the next."""
    if quick:
        tasks = (*PIXELS[:2], *RINGS)
        yield from grid(search_planted, task=tasks, data=("digits",), samples=(5_000,), seed=SEEDS[:1])
        yield from _nameless("digits", 5_000, SEEDS[0], NAMELESS[:3], (6,))
        return
    for seed in SEEDS:
        for count in (COUNTS[-1], *(COUNTS[:-1] if seed < SEEDS[FEW] else ())):
            every = count == COUNTS[-1]
            yield from grid(search_planted, task=(*PIXELS, *RINGS), data=("mnist",), samples=(count,), seed=(seed,))
            samples = (min(count, 50_000),)
            yield from grid(search_channels, task=("channels",), data=("cifar10",), samples=samples, seed=(seed,))
            names, ranks = (NAMELESS, (12, 20)) if every else (("order 2", "order 4"), (12,))
            yield from _nameless("mnist", count, seed, names, ranks)


def _nameless(data: str, count: int, seed: int, names: tuple[str, ...], ranks: tuple[int, ...]) -> Iterator[Cell]:
    tasks = [f"nameless {name}" for name in names]
    yield from grid(search_nameless, rank=ranks, task=tasks, data=(data,), samples=(count,), seed=(seed,))


def search_planted(task: str, data: str, samples: int, seed: int) -> dict[str, Any]:
    images = cases.some(cases.images_of(data), samples, seed)
    makers = dict(zip(RINGS, (cases.uniform_angles, cases.rings, cases.continuous_rings), strict=True))
    case = makers[task](images, seed) if task in makers else cases.turned(images, task, seed)
    return measure(case, seed=seed)


def search_channels(task: str, data: str, samples: int, seed: int) -> dict[str, Any]:
    return measure(cases.channels(cases.some(cases.images_of(data, True), samples, seed), seed), seed=seed)


def search_nameless(rank: int, task: str, data: str, samples: int, seed: int) -> dict[str, Any]:
    images = cases.some(cases.images_of(data), samples, seed)
    return measure(cases.nameless(images, task.removeprefix("nameless "), rank, seed), seed=seed, rank=rank)


def task(quick: bool) -> Iterator[Cell]:
    data, tasks, counts = ("digits", TASKS[:2], (5_000,)) if quick else ("mnist", TASKS, (10_000, 3_000))
    for seed in SEEDS[: 1 if quick else None]:
        for count in counts:
            yield from grid(search_task, task=tasks, data=(data,), samples=(count,), seed=(seed,))


def search_task(task: str, data: str, samples: int, seed: int) -> dict[str, Any]:
    """Whether the group is found, and whether it permutes the classes as it should."""
    split = lgn.data.load(data, download=False).train
    assert split.labels is not None
    generator = generator_for("unknown task", seed)
    chosen = torch.randperm(len(split.samples), generator=generator)[:samples]
    images, digits = split.samples[chosen], split.labels[chosen]
    quarters = torch.randint(4, (len(images),), generator=generator)
    upright, by_turn = task == TASKS[2], task == TASKS[1]
    x = images if upright else turn(images, quarters)
    degrees = {} if upright else {"turn 90": 1, "turn 180": 2, "turn 270": 3}
    case = cases.Case(x, [parse_operator(f"rotation {90 * number}", (14, 14)) for number in degrees.values()])
    found, answer = discover(case, quarters if by_turn else digits, seed=seed)
    right = []
    for row in answer.kept:
        if row.name in degrees:
            moved = tuple((label + degrees[row.name]) % 4 for label in range(4))
            right.append(row.permutation == (moved if by_turn else ()))
    return short(
        {**compare(found, case), **facts(found, answer), "classes_right": all(right), "classes_seen": len(right)}
    )
