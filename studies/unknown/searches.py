"""Searches for unknown linear maps: in data without a symmetry, in CIFAR-10, with planted groups, and with labels."""

import math
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor

import lgn.data
from lgn import groups
from lgn.answer import Answer, DataSummary, Defect
from lgn.data.kinds import Kind
from lgn.data.rotated import turn
from lgn.data.seeds import generator_for
from lgn.discovery.moments.continuous import nearest_in_group
from lgn.discovery.moments.finder import find_maps
from lgn.discovery.moments.moments_answer import Describer, Found
from lgn.discovery.moments.prepare import prepare
from lgn.linalg import polar_factor
from studies.images import training_images
from studies.runner import Cell, grid
from studies.speed.processes import in_a_process, most_memory
from studies.unknown import cases
from studies.unknown.cases import Case, on_pixels

COUNTS = (60_000, 1_000, 3_000, 10_000)
SEEDS = range(400, 405)  # seeds of which none was used while the rules were made
FEW = 2  # seeds with fewer than 60,000 samples
WITHOUT_SYMMETRY = {"gaussian": cases.gaussian, "skewed": cases.skewed, "mixture": cases.mixture}
RANK, PATCH = 8, 6
CONTROL_SEEDS, LARGE = range(500, 520), 5
RINGS = {
    "uniform angles": cases.uniform_angles,
    "shifts of rings": cases.rings,
    "any shift of rings": cases.continuous_rings,
}
TURNED = {name: partial(cases.turned, task=name) for name in cases.GROUPS}
MAKERS: dict[str, Callable[..., Case]] = {**TURNED, **RINGS, "channels": cases.channels}
NAMELESS = [f"nameless {name}" for name in (*(f"order {order}" for order in range(2, 7)), "D4", "one-parameter")]
TASKS = ("turned, by digit", "turned, by turn", "upright, by digit")
RIGHT = 0.1  # relative error on the searched directions, under which a map is the one that is true
ALONG = 0.95  # cosine from which a generator is in the algebra that is true


def controls(quick: bool) -> Iterator[Cell]:
    """Data without a symmetry. CIFAR-10 has its flip."""
    if quick:
        yield from grid(search_images, kind=["digits"], samples=[5_000], seed=CONTROL_SEEDS[:1])
        yield from grid(search_rows, kind=WITHOUT_SYMMETRY, samples=[5_000], seed=CONTROL_SEEDS[:1])
        return
    for count in COUNTS:
        seeds = CONTROL_SEEDS[: LARGE if count == COUNTS[0] else None]
        yield from grid(search_images, kind=["mnist"], samples=[count], seed=seeds)
        yield from grid(search_images, kind=["cifar10"], samples=[min(count, 50_000)], seed=seeds)
        yield from grid(search_rows, kind=WITHOUT_SYMMETRY, samples=[count], seed=seeds)


def search_images(kind: str, samples: int, seed: int) -> dict[str, Any]:
    return measure(Case(drawn_images(kind, samples, seed), [on_pixels(4)] if kind == "cifar10" else []), seed=seed)


def search_rows(kind: str, samples: int, seed: int) -> dict[str, Any]:
    return measure(WITHOUT_SYMMETRY[kind](samples, RANK, seed), seed=seed)


def natural(quick: bool) -> Iterator[Cell]:
    """The flip of CIFAR-10 in images and patches; not in a quick run, which has no CIFAR-10."""
    for seed in () if quick else SEEDS:
        looks = ("images", "patches", "colour images", *(("images, and a network",) if seed == SEEDS[0] else ()))
        yield from grid(search_flip, look=looks, data=("cifar10",), seed=(seed,))


def search_flip(look: str, data: str, seed: int) -> dict[str, Any]:
    images = training_images(data, look == "colour images")
    side, options = (PATCH, {"patch": PATCH}) if look == "patches" else (cases.SIDE, {})
    return measure(Case(images, [on_pixels(4, images.shape[1], side)], [], options), seed=seed)


def planted(quick: bool) -> Iterator[Cell]:
    """Groups of pixels, rings and channels, and matrices without a name."""
    tasks = (*cases.GROUPS, *RINGS)
    if quick:
        axes: dict[str, Any] = {"data": ["digits"], "samples": [5_000], "seed": SEEDS[:1]}
        yield from grid(search_planted, task=(*tasks[:2], *RINGS), **axes)
        yield from grid(search_nameless, rank=[6], task=NAMELESS[:3], **axes)
        return
    for seed in SEEDS:
        for count in COUNTS if seed < SEEDS[FEW] else COUNTS[:1]:
            axes = {"data": ["mnist"], "samples": [count], "seed": [seed]}
            yield from grid(search_planted, task=tasks, **axes)
            few: dict[str, Any] = {"data": ["cifar10"], "samples": [min(count, 50_000)], "seed": [seed]}
            yield from grid(search_planted, task=["channels"], **few)
            names, ranks = (NAMELESS, (12, 20)) if count == COUNTS[0] else (NAMELESS[:3:2], (12,))
            yield from grid(search_nameless, rank=ranks, task=names, **axes)


def search_planted(task: str, data: str, samples: int, seed: int) -> dict[str, Any]:
    images = drawn_images(data, samples, seed, colour=task == "channels")
    return measure(MAKERS[task](images, seed=seed), seed=seed)


def search_nameless(rank: int, task: str, data: str, samples: int, seed: int) -> dict[str, Any]:
    case = cases.nameless(drawn_images(data, samples, seed), task.removeprefix("nameless "), rank, seed)
    return measure(case, seed=seed, rank=rank)


def drawn_images(source: str, count: int, seed: int, colour: bool = False) -> Tensor:
    """Training images drawn without repetition."""
    images = training_images(source, colour)
    return images[torch.randperm(len(images), generator=generator_for("unknown some", seed))[:count]]


def task(quick: bool) -> Iterator[Cell]:
    data, tasks, counts = ("digits", TASKS[:2], (5_000,)) if quick else ("mnist", TASKS, (10_000, 3_000))
    return grid(search_task, task=tasks, data=[data], samples=counts, seed=SEEDS[: 1 if quick else None])


def search_task(task: str, data: str, samples: int, seed: int) -> dict[str, Any]:
    """Whether the group of turned digits is found, and whether it permutes the classes as it should."""
    split = lgn.data.load(data, download=False).train
    assert split.labels is not None
    generator = generator_for("unknown task", seed)
    chosen = torch.randperm(len(split.samples), generator=generator)[:samples]
    images, digits = split.samples[chosen], split.labels[chosen]
    quarters = torch.randint(4, (len(images),), generator=generator)
    upright, by_turn = task == TASKS[2], task == TASKS[1]
    x = images if upright else turn(images, quarters)
    degrees = {} if upright else {"turn 90": 1, "turn 180": 2, "turn 270": 3}
    case = Case(x, [on_pixels(number) for number in degrees.values()])
    found, answer = discover(case, quarters if by_turn else digits, seed=seed)
    right = []
    for row in answer.kept:
        if row.name in degrees:
            moved = tuple((label + degrees[row.name]) % 4 for label in range(4))
            right.append(row.permutation == (moved if by_turn else ()))
    return {**compare(found, answer, case), "classes_right": all(right), "classes_seen": len(right)}


def measure(case: Case, **options: Any) -> dict[str, Any]:
    return compare(*discover(case, **options), case)


def discover(
    case: Case, labels: Tensor | None = None, rank: int | None = None, seed: int = 0, starts: int = 100
) -> tuple[Found, Answer]:
    """`discover_moments`, with the maps on the whitened directions."""
    kind: Kind = "images" if case.x.ndim == 4 else "tables"
    sample, grid = prepare(case.x, labels, kind, seed=seed, **case.options)
    found = find_maps(sample, rank, starts)
    present = () if labels is None else tuple(labels.unique().tolist())
    data = DataSummary(kind, len(case.x), tuple(case.x.shape[1:]), tuple(map(str, present)))
    return found, Describer(found, grid, data, present).answer({}, seed)


def compare(found: Found, answer: Answer, case: Case) -> dict[str, Any]:
    """The errors of claims. `found`: all generators are found, and no claim is wrong. `wrong`: how many claims are."""
    frame = found.frame
    truth = [polar_factor(frame.lower(element)) for element in case.elements]
    lowered = [frame.lower(generator) for generator in case.generators]
    algebra = [(matrix - matrix.T) / (matrix - matrix.T).norm() for matrix in lowered]
    matched, errors, wrong = set(), [], 0
    for element in (element for element in found.elements if element.verdict == "kept"):
        distances = [float((element.inner - one).norm()) / math.sqrt(frame.rank) for one in truth]
        best = min(range(len(distances)), key=distances.__getitem__, default=None)
        error = math.inf if best is None else distances[best]
        if algebra and error > RIGHT:
            error = nearest_in_group(element.inner, torch.stack(algebra))
        if error > RIGHT:
            wrong += 1
        elif best is not None:
            matched.add(best)
        errors.append(min(error, 9.0))
    generators = [generator for generator in found.generators if generator.verdict == "kept"]
    cosines = [max((abs(float((one.inner * true).sum())) for true in algebra), default=0.0) for one in generators]
    wrong += sum(cosine < ALONG for cosine in cosines)
    details = [row.evidence[0].detail for row in answer.rows[len(found.generators) :] if row.verdict == "kept"]
    generated = _different([truth[number] for number in matched]) if matched else 1
    return {
        "wrong": wrong,
        "found": generated == (_different(truth) if truth else 1) and len(cosines) == len(algebra) and not wrong,
        "errors": errors,
        "generator_cosines": cosines,
        "cosines": [detail.cosine for detail in details if isinstance(detail, Defect)],
        "undecided": sum(element.verdict == "undecided" for element in found.elements),
        "ratios": [generator.ratio for generator in generators],
    }


def _different(truth: list[Tensor]) -> int:
    return len(groups.from_matrices(truth, tolerance=0.2).elements)


def cost(quick: bool) -> Iterator[Cell]:
    """Time and memory of a search in a mixture of normal distributions."""
    for rank, count in ((12, 10_000),) if quick else ((12, 60_000), (20, 60_000), (40, 60_000)):
        key = {"rank": rank, "samples": count, "starts": 300}
        yield Cell(key, partial(in_a_process, cost_of, *key.values()))


def cost_of(rank: int, samples: int, starts: int) -> dict[str, Any]:
    """Seconds and the most memory of a process that makes data and looks for symmetries once."""
    case = cases.mixture(samples, rank, 0)
    began, worked = time.perf_counter(), time.process_time()
    found = find_maps(prepare(case.x, None, "tables")[0], rank, starts)
    return {
        "wall_seconds": time.perf_counter() - began,
        "search_processor_seconds": time.process_time() - worked,
        "megabytes": most_memory(),
        "claims": sum(element.verdict == "kept" for element in found.elements),
    }
