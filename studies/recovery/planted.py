"""Planted: the learner sees patches x and responses `<phi^j W_k, x>`, never the bank."""

import warnings
from collections.abc import Iterator
from functools import cache, partial
from itertools import chain, product
from typing import Any

import torch
from torch import Tensor

import lgn.data
from lgn.actions import orbit, unvec, vec
from lgn.discovery.filters import fit_generator
from lgn.discovery.filters.record import Method
from lgn.discovery.filters.responses import bank_from_responses
from lgn.generators.fit import consecutive_pairs
from lgn.nn import UndeterminedWarning
from lgn.transforms import parse_operator
from studies.recovery.paper import train_bank
from studies.runner import Cell

PATCH, ORDER, PATCHES = (6, 6), 4, 20_000
TASKS = ("rotation 90", "flip", "shift", "rotation 45", "pooling 3", "pooling 4 then rotation 60", "random cyclic")


def cells(quick: bool) -> Iterator[Cell]:
    """Tasks x sets x noise x methods x seeds; the paper's setting without noise, where it does best, and last."""
    source, seeds, sets = ("digits", 1, (12, 32)) if quick else ("cifar10", 5, (4, 12, 16, 32))
    noises = (0.0, 0.01) if quick else (0.0, 0.01, 0.1)
    closed = product(range(seeds), noises, sets, TASKS, ("least-squares", "procrustes"))
    trained = product(range(seeds), (0.0,), sets, TASKS[:1] if quick else TASKS, ("paper",))
    for seed, noise, count, task, method in chain(closed, trained):
        key = {"task": task, "sets": count, "noise": noise, "method": method, "seed": seed}
        steps = 300 if quick else 1000
        yield Cell({"data": source, **key}, partial(measure, source, **key, steps=steps))


def measure(source: str, task: str, sets: int, noise: float, method: str, seed: int, steps: int) -> dict[str, Any]:
    """The relative error of the generator on the identifiable subspace, and whether it is at most 1e-3."""
    matrix = planted_generator(task, seed)
    x = some_patches(source, seed)
    random = torch.Generator().manual_seed(1000 + seed)
    basis = torch.randn(sets, 1, *PATCH, generator=random, dtype=torch.float64)
    bank = orbit(matrix, basis, ORDER).transpose(0, 1)  # (sets, order, 1, n, m)
    responses = x @ vec(bank).flatten(0, 2).T
    scale = noise * responses.std(0)
    responses = responses + scale * torch.randn(responses.shape, generator=random, dtype=torch.float64)
    before, _ = consecutive_pairs(bank, "set" if method == "paper" else "layer")
    if method == "paper":
        found = _paper(x, responses, sets, steps, seed)
        return {"error": identifiable_error(found, matrix, before[:, 0]), "dimension": min(3, before.shape[-1])}
    estimate = unvec(bank_from_responses(x, responses), PATCH).unsqueeze(1)
    fit = fit_quietly(estimate, method)  # type: ignore[arg-type]
    return {
        "error": identifiable_error(fit.matrix, matrix, before[0, 0]),
        "dimension": fit.identifiable_dimension,
        "residual": fit.residual,
        "p_value": fit.p_value,
    }


def fit_quietly(bank: Tensor, method: Method, shuffles: int = 19) -> Any:
    """A fit without the warning that few sets determine little: here they do so on purpose."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndeterminedWarning)
        return fit_generator(bank, group=ORDER, method=method, shuffles=shuffles)


def identifiable_error(found: Tensor, matrix: Tensor, before: Tensor) -> float:
    """`|(A' - A) P_U| / |A P_U|` with U the span of the vectors that A is applied to, over all generators together.

    Shapes: found (..., d, d), matrix (d, d), before (..., d, pairs)
    """
    u, s, _ = torch.linalg.svd(before, full_matrices=False)
    basis = u * (s > 1e-6 * s[..., :1]).unsqueeze(-2)
    return float(((found - matrix) @ basis).norm() / (matrix @ basis).norm())


def planted_generator(task: str, seed: int) -> Tensor:
    """The matrix of a task, (d, d)."""
    if task == "random cyclic":
        random = torch.Generator().manual_seed(seed)
        d = PATCH[0] * PATCH[1]
        left, right = (torch.randn(d, d, generator=random, dtype=torch.float64) for _ in range(2))
        stretch = 0.5 + torch.rand(d, generator=random, dtype=torch.float64)
        frame = torch.linalg.qr(left)[0] * stretch @ torch.linalg.qr(right)[0]  # of condition 3 at most
        turn = torch.eye(ORDER, dtype=torch.float64).roll(1, 0)
        return frame @ torch.block_diag(*[turn] * (d // ORDER)) @ torch.linalg.inv(frame)
    words = {"flip": "reflection", "shift": "shift 0 1", "rotation 45": "rotation 45 bilinear"}
    return parse_operator(words.get(task, task), PATCH)


@cache
def some_patches(source: str, seed: int) -> Tensor:
    """Grey patches, each pixel centred.  (N, d)"""
    images = lgn.data.load(source, download=False).train.samples[:5000].float().mean(1, keepdim=True) / 255
    x = vec(lgn.data.patches(images, PATCH, PATCHES, seed)[:, 0].double())
    return x - x.mean(0)


def _paper(x: Tensor, responses: Tensor, sets: int, steps: int, seed: int) -> Tensor:
    """Squared error of all responses, by their moments: the gradient of the whole set at every step."""
    covariance, cross = x.T @ x / len(x), responses.T @ x / len(x)
    size = responses.square().mean()

    def loss(filters: Tensor) -> Tensor:
        b = vec(filters).flatten(0, 1)
        return ((b @ covariance * b).sum() - 2 * (b * cross).sum()) / len(b) / size + 1

    return train_bank(sets, ORDER, PATCH, loss, steps, seed).generator.matrix()[:, 0].detach()
