"""Matrices without an operator: the share of them with a finding that depends on place."""

from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from lgn.analysis import Analysis, GeneratorAnalysis, analyze_matrices
from lgn.analysis.scores import SPECTRAL
from lgn.pretrained import find_run, pretrained_names
from lgn.training import Run
from studies.runner import Cell, grid
from studies.truth.controls import Generators, free, repaired, with_other_inputs

PATCH, D = (6, 6), 36


def white(count: int, random: torch.Generator, *shape: int) -> Tensor:
    return torch.randn(count, *(shape or (D, D)), generator=random, dtype=torch.float64)


def smooth_fields(shape: tuple[int, ...], pixels: float, random: torch.Generator) -> Tensor:
    """Gaussian fields of unit variance and covariance `exp(-r^2 / (2 l^2))`, l in pixels.  -> float64 (..., n, m)"""
    return smoothed(white(shape[0], random, *shape[1:]), pixels)


def smooth_images(count: int, columns: int, pixels: float, random: torch.Generator) -> Tensor:
    return smooth_fields((count, columns, *PATCH), pixels, random).mT.flatten(-2).mT


def smooth_matrices(pixels: float, count: int, random: torch.Generator) -> Tensor:
    """Matrices on 6x6 patches that are smooth in what they read and in what they write, (count, 36, 36)."""
    written = smooth_images(count, D, pixels, random)  # by input pixel, so far independent
    return smoothed(written.unflatten(-1, PATCH), pixels).flatten(-2)


def smoothed(noise: Tensor, pixels: float) -> Tensor:
    """White noise made smooth along its last two axes.  (..., n, m) -> (..., n, m)"""
    left, right = (smoothing(side, pixels) for side in noise.shape[-2:])
    return left @ noise @ right.T


def smoothing(side: int, pixels: float) -> Tensor:
    """R with `R R^T = exp(-(i - j)^2 / (2 l^2))`, (side, side)."""
    place = torch.arange(side, dtype=torch.float64)
    covariance = torch.exp(-((place[:, None] - place) ** 2) / (2 * pixels**2))
    return torch.linalg.cholesky(covariance + 1e-9 * torch.eye(side, dtype=torch.float64))


ORDER = 4
LIMIT = 0.05
RUNS = Path("results") / "runs"


def cells(quick: bool) -> Iterator[Cell]:
    """Families of matrices, filter sets without a generator, and networks whose filters were paired anew."""
    count, seeds, draws = (10, 1, 200) if quick else (60, 3, 1000)
    yield from grid(measure_made, {"count": count, "draws": draws}, input=MATRICES | SETS, seed=range(seeds))
    runs = [] if quick else [*_runs("*-paper-10*"), *_runs("*-released-10*")]
    chosen = runs or pretrained_names()[: 1 if quick else None]
    yield from grid(measure_run, {"draws": draws}, network=chosen, input=NETWORKS)
    yield from grid(measure_run, {"draws": draws}, network=[] if quick else _runs("*-free-10*"), input=FREE_NETWORKS)


def measure_made(input: str, seed: int, count: int, draws: int) -> dict[str, Any]:
    made = (MATRICES | SETS)[input](count, torch.Generator().manual_seed(100 + seed))
    matrices, filters = made if isinstance(made, tuple) else (made, [])
    return _measure(Generators(matrices, list(filters), PATCH, ORDER), draws)


def measure_run(input: str, network: str, draws: int) -> dict[str, Any]:
    return _measure((NETWORKS | FREE_NETWORKS)[input](find_run(network)), draws)


def _measure(of: Generators, draws: int) -> dict[str, Any]:
    known: dict[str, Any] = {"filters": of.filters, "order": of.order} if len(of.filters) else {}
    analysis = analyze_matrices(of.matrices, patch=of.patch, draws=draws, **known)
    return {"rate": share_with_place(analysis), "limit": LIMIT, "count": len(of.matrices)}


def share_with_place(analysis: Analysis) -> float:
    """The share of generators with a finding that depends on place, or with a known operator beyond chance."""
    found = [has_finding(item, analysis.false_discovery_rate, SPECTRAL) for item in analysis.generators]
    return sum(found) / len(found)


def has_finding(item: GeneratorAnalysis, rate: float, but: Collection[str] = ()) -> bool:
    matches = [*item.nearest, *(item.identifiability.nearest if item.identifiability is not None else ())]
    structure = any(finding.name not in but for finding in item.findings)
    return structure or any(match.adjusted_p_value <= rate for match in matches)


def _products(vectors: Callable[[int, torch.Generator], Tensor], count: int, random: torch.Generator) -> Tensor:
    """Matrices of low rank that write columns of one draw and read those of another."""
    return vectors(count, random) @ vectors(count, random).mT


def _heavy_tails(count: int, random: torch.Generator) -> Tensor:
    return white(count, random) / (-torch.rand(count, D, D, generator=random, dtype=torch.float64).log()).sqrt()


def _additive(count: int, random: torch.Generator) -> Tensor:
    rows, columns = white(count, random, D, 1), white(count, random, 1, D)
    return white(count, random) + 2 * rows + 2 * columns


def _outlying_row(count: int, random: torch.Generator) -> Tensor:
    matrices = white(count, random)
    matrices[torch.arange(count), torch.randint(D, (count,), generator=random)] *= 8
    return matrices


#: The places of the pixels of a patch, from its centre.
ROW, COLUMN = (torch.arange(D)[:, None] % 6 - 2.5), (torch.arange(D)[:, None] // 6 - 2.5)


def _waves(count: int, random: torch.Generator) -> Tensor:
    angle, phase, wave = (torch.rand(count, 1, 6, generator=random, dtype=torch.float64) for _ in range(3))
    angle, phase, frequency = torch.pi * angle, 2 * torch.pi * phase, 0.6 + 1.2 * wave
    along = ROW * angle.cos() + COLUMN * angle.sin()
    return torch.cos(frequency * along + phase) * torch.exp(-(ROW**2 + COLUMN**2) / 8)


def _edges(count: int, random: torch.Generator) -> Tensor:
    first, second = (_bars(count, random) for _ in range(2))
    return second @ torch.linalg.pinv(first)


def _bars(count: int, random: torch.Generator) -> Tensor:
    angle, offset = (torch.rand(count, 1, 12, generator=random, dtype=torch.float64) for _ in range(2))
    across = ROW * (torch.pi * angle).cos() + COLUMN * (torch.pi * angle).sin() - 4 * (offset - 0.5)
    return torch.tanh(2 * across) + 0.1 * torch.randn(count, D, 12, generator=random, dtype=torch.float64)


def _ridge(count: int, random: torch.Generator) -> Tensor:
    first, second = (smooth_images(count, 100, 1.2, random) for _ in range(2))
    gram = first @ first.mT + 5 * torch.eye(D, dtype=torch.float64)
    return second @ first.mT @ torch.linalg.inv(gram)


def _chains(pixels: float, columns: int, count: int, random: torch.Generator) -> tuple[Tensor, Tensor]:
    matrices = smooth_matrices(pixels, count, random)
    return matrices / matrices.norm(dim=(1, 2), keepdim=True) * 6, smooth_images(count, columns, pixels, random)


def _unrelated_sets(pixels: float, columns: int, count: int, random: torch.Generator) -> tuple[Tensor, Tensor]:
    filters = torch.stack([smooth_images(count, columns, pixels, random) for _ in range(ORDER)], 1)  # (count, p, d, N)
    filters = torch.nn.functional.normalize(filters, dim=2)
    before, after = (part.transpose(1, 2).flatten(2) for part in (filters[:, :-1], filters[:, 1:]))
    inverse = torch.linalg.pinv(before)
    left, _, right = torch.linalg.svd(white(count, random))
    return after @ inverse + left @ right @ (torch.eye(D).double() - before @ inverse), filters[:, 0]


def _drifting(columns: int, count: int, random: torch.Generator) -> tuple[Tensor, Tensor]:
    left, _, right = torch.linalg.svd(white(count, random))
    one, other = (torch.nn.functional.normalize(smooth_images(count, 1, 1.5, random), dim=1) for _ in range(2))
    return left @ right + 3 * one @ other.mT, smooth_images(count, columns, 1.5, random)


#: Families of matrices without an operator. The last two were added after all thresholds were fixed.
MATRICES: dict[str, Callable[[int, torch.Generator], Any]] = {
    "white": white,
    "constant and noise": lambda count, random: 1 + white(count, random),
    "smooth field, 1 px": partial(smooth_matrices, 1.0),
    "smooth field, 1.5 px": partial(smooth_matrices, 1.5),
    "smooth field, 2 px": partial(smooth_matrices, 2.0),
    "smooth along vec, 2 px": lambda count, random: smoothed(white(count, random), 2.0),
    "three smooth pairs, 1 px": partial(_products, lambda count, random: smooth_images(count, 3, 1.0, random)),
    "three smooth pairs, 1.5 px": partial(_products, lambda count, random: smooth_images(count, 3, 1.5, random)),
    "heavy tails": _heavy_tails,
    "rows and columns added": _additive,
    "an outlying row": _outlying_row,
    "oriented waves": partial(_products, _waves),
    "patches of bars": _edges,
    "ridge fits of unrelated images": _ridge,
    "pairs of half-planes": partial(_products, lambda count, random: _bars(count, random)[..., :8].sign()),
}
SETS: dict[str, Callable[[int, torch.Generator], Any]] = {
    "orbits of a smooth field, grey": partial(_chains, 1.5, 1),
    "orbits of a smooth field, colour": partial(_chains, 1.0, 3),
    "unrelated smooth sets, grey": partial(_unrelated_sets, 1.0, 1),
    "unrelated smooth sets, colour": partial(_unrelated_sets, 1.5, 3),
    "orbits that drift, grey": partial(_drifting, 1),
    "orbits that drift, colour": partial(_drifting, 3),
}
NETWORKS: dict[str, Callable[[Run], Generators]] = {
    "filters re-paired": lambda run: repaired(run.model(), run.initial(), run.config.network.share, 0),
    "other inputs": lambda run: with_other_inputs(run.model(), run.config.network.share, 0),
}


def _free(shuffled: bool, run: Run) -> Generators:
    return free(run.model(), run.config.network.finite_group.order, "set", run.config.seed, shuffled=shuffled)


#: The filters of a free network as sets: as they stand, or in a new order.
FREE_NETWORKS: dict[str, Callable[[Run], Generators]] = {
    "free network": partial(_free, False),
    "free network, filters re-paired": partial(_free, True),
}


def _runs(pattern: str) -> list[str]:
    paths = sorted(path.parent.as_posix() for path in RUNS.glob(f"{pattern}/config.json"))
    return [path for path in paths if find_run(path).finished]
