"""Generators planted in filters: the learner sees patches and responses, or only the largest response of each set."""

import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

import lgn.data
from lgn.actions import orbit, unvec, vec
from lgn.discovery.filters import Fit, fit_generator
from lgn.generators.fit import filter_pairs
from lgn.groups import cyclic
from lgn.measures import total_error
from lgn.nn import OrbitBank, UndeterminedWarning
from lgn.penalties import AuxiliaryInverse
from lgn.transforms import parse_operator
from studies.images import training_images
from studies.runner import Cell, grid

PATCH, ORDER, PATCHES = (6, 6), 4, 20_000
TASKS = ("rotation 90", "flip", "shift", "rotation 45", "pooling 3", "pooling 4 then rotation 60", "random cyclic")
SHUFFLES = 19  # of 20 banks without a generator, one has a p-value of 0.05
MAXIMA_PATCHES, TRAINED_PATCHES = 6000, 2000  # where maxima are seen, and how many of them train


def planted_cells(quick: bool) -> Iterator[Cell]:
    """The paper's setting comes last, and without noise alone, where it does best."""
    source, seeds, sets = (["digits"], 1, (12, 32)) if quick else (["cifar10"], 5, (4, 12, 16, 32))
    settings = {"steps": 300 if quick else 1000}
    shared: dict[str, Any] = {"data": source, "seed": range(seeds), "sets": sets}
    noises, methods = (0.0, 0.01) if quick else (0.0, 0.01, 0.1), ("least-squares", "procrustes")
    yield from grid(measure_planted, settings, **shared, noise=noises, task=TASKS, method=methods)
    tasks = TASKS[: 1 if quick else None]
    yield from grid(measure_planted, settings, **shared, noise=[0.0], task=tasks, method=["paper"])


def measure_planted(
    data: str, task: str, sets: int, noise: float, method: str, seed: int, steps: int = 0
) -> dict[str, Any]:
    """The relative error of the generator on the identifiable subspace."""
    matrix = planted_generator(task, seed)
    x = centred_patches(data, seed)
    random = torch.Generator().manual_seed(1000 + seed)
    basis = torch.randn(sets, 1, *PATCH, generator=random, dtype=torch.float64)
    bank = orbit(matrix, basis, ORDER).transpose(0, 1)  # (sets, order, 1, n, m)
    responses = x @ vec(bank).flatten(0, 2).T
    scale = noise * responses.std(0)
    responses = responses + scale * torch.randn(responses.shape, generator=random, dtype=torch.float64)
    before = filter_pairs(vec(bank), cyclic(ORDER), "set" if method == "paper" else "layer")[0][0]
    if method == "paper":
        found = train_bank(sets, _response_loss(x, responses), steps, seed)
        return {"error": identifiable_error(found, matrix, before[:, 0]), "dimension": min(3, before.shape[-1])}
    estimate = torch.linalg.lstsq(x, responses, driver="gelsd").solution.T
    fit = fit_quietly(unvec(estimate, PATCH).unsqueeze(1), method)
    error = identifiable_error(fit.matrix, matrix, before[0, 0])
    return {"error": error, "dimension": fit.identifiable_dimension, "p_value": fit.p_value}


def _response_loss(x: Tensor, responses: Tensor) -> Callable[[Tensor], Tensor]:
    covariance, cross = x.T @ x / len(x), responses.T @ x / len(x)
    size = responses.square().mean()

    def loss(filters: Tensor) -> Tensor:
        b = vec(filters).flatten(0, 1)
        return ((b @ covariance * b).sum() - 2 * (b * cross).sum()) / len(b) / size + 1

    return loss


def train_bank(sets: int, loss: Callable[[Tensor], Tensor], steps: int, seed: int) -> Tensor:
    """The paper's setting: a dense generator per set, the inverse penalty, Adam.  -> (sets, d, d)"""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        bank = OrbitBank(1, sets, PATCH, group=ORDER, generator="dense", share="set", dtype=torch.float64)
        penalty = AuxiliaryInverse(bank, weight=1e-3)
    optimizer = torch.optim.Adam([*bank.parameters(), *penalty.parameters()], lr=1e-2)
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, [steps // 2, steps * 3 // 4, steps * 7 // 8], gamma=0.5)
    for _ in range(steps):
        optimizer.zero_grad()
        (loss(bank()) + penalty()).backward()
        optimizer.step()
        scheduler.step()
    return bank.generator.matrix()[:, 0].detach()


def fit_quietly(bank: Tensor, method: Any, shuffles: int = SHUFFLES, **options: Any) -> Fit:
    """A fit without the warning that few sets determine little: here they do so on purpose."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndeterminedWarning)
        return fit_generator(bank, group=ORDER, method=method, shuffles=shuffles, **options)


def identifiable_error(found: Tensor, matrix: Tensor, before: Tensor) -> float:
    """`|(A' - A) P_U| / |A P_U|` with U the span of the vectors that A is applied to, over all generators together.

    Shapes: found (..., d, d), matrix (d, d), before (..., d, pairs)
    """
    u, s, _ = torch.linalg.svd(before, full_matrices=False)
    basis = u * (s > 1e-6 * s[..., :1]).unsqueeze(-2)
    return total_error(found @ basis, matrix @ basis)


def planted_generator(task: str, seed: int) -> Tensor:
    if task == "random cyclic":
        random = torch.Generator().manual_seed(seed)
        d = PATCH[0] * PATCH[1]
        left, right = (torch.randn(d, d, generator=random, dtype=torch.float64) for _ in range(2))
        stretch = 0.5 + torch.rand(d, generator=random, dtype=torch.float64)
        frame = torch.linalg.qr(left)[0] * stretch @ torch.linalg.qr(right)[0]  # of condition 3 at most
        turn = torch.eye(ORDER, dtype=torch.float64).roll(1, 0)
        return frame @ torch.block_diag(*[turn] * (d // ORDER)) @ torch.linalg.inv(frame)
    names = {"flip": "reflection", "shift": "shift 0 1", "rotation 45": "rotation 45 bilinear"}
    return parse_operator(names.get(task, task), PATCH)


@cache
def centred_patches(source: str, seed: int) -> Tensor:
    """Grey patches, centred at every pixel.  (N, d)"""
    images = training_images(source, colour=True)[:5000].float().mean(1, keepdim=True) / 255
    x = vec(lgn.data.patches(images, PATCH, PATCHES, seed)[:, 0].double())
    return x - x.mean(0)


def maximum_cells(quick: bool) -> Iterator[Cell]:
    """Rotation by 90 degrees, for several numbers of sets."""
    axes: dict[str, Any] = {"data": ["digits"], "sets": (32,), "seed": range(1)}
    if not quick:
        axes = {"data": ["cifar10"], "sets": (16, 32, 48), "seed": range(3)}
    settings = {"steps": 100 if quick else 600}
    return grid(measure_maximum, settings, task=["rotation 90"], **axes, method=("max-affine", "paper"))


def measure_maximum(task: str, data: str, sets: int, method: str, seed: int, steps: int = 600) -> dict[str, Any]:
    """The relative error of the generator or of its inverse: a maximum does not show the direction of the turn."""
    matrix = planted_generator(task, seed)
    x = centred_patches(data, seed)[:MAXIMA_PATCHES]
    basis = torch.randn(sets, 1, *PATCH, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    bank = vec(orbit(matrix, basis, ORDER).transpose(0, 1))[:, :, 0]  # (sets, order, d)
    maxima = torch.einsum("nd,kpd->nkp", x, bank).amax(-1)
    if method == "paper":
        found = train_bank(sets, partial(_maximum_loss, x[:TRAINED_PATCHES], maxima[:TRAINED_PATCHES]), steps, seed)
        return {"error": min(relative_error(one, matrix) for one in found), "solved_sets": None}
    filters, residuals = bank_from_maxima(x, maxima, ORDER, seed=seed)
    solved = residuals < 1e-6
    count = int(solved.sum())
    if count < 2:
        return {"error": None, "solved_sets": count}
    fit = fit_quietly(unvec(filters[solved], PATCH).flatten(0, 1).unsqueeze(1), "unordered", shuffles=1)
    return {"error": relative_error(fit.matrix, matrix), "solved_sets": count}


def relative_error(found: Tensor, matrix: Tensor) -> float:
    """The relative distance to the matrix or to its inverse, whichever is nearer."""
    return min(total_error(found, target) for target in (matrix, torch.linalg.inv(matrix)))


def _maximum_loss(x: Tensor, maxima: Tensor, filters: Tensor) -> Tensor:
    found = torch.einsum("nd,kpd->nkp", x, vec(filters)[:, 0].unflatten(0, (-1, ORDER))).amax(-1)
    return (found - maxima).square().mean() / maxima.square().mean()


# Note [Through a maximum]
# y = max_j <b_j, x> is linear in x wherever one filter wins: if the winners were known, each filter would follow by
# least squares from the patches that it wins, and if the filters were known, so would the winners. Turns of the two
# reach the exact filters from a good start, and stop elsewhere from a bad one; so sets that have stopped elsewhere
# start again, from random filters in whitened patches, until they are exact or the restarts are used up.
def bank_from_maxima(
    x: Tensor, maxima: Tensor, order: int, *, restarts: int = 30, turns: int = 40, seed: int = 0
) -> tuple[Tensor, Tensor]:
    """The filters of which only the largest response was seen, `y_k = max_j <b_kj, x>`, in no order.

    Max-affine regression, for all sets at once (Note [Through a maximum]). A residual near zero says that a set was
    solved; the others are the best of their restarts.

    Shapes: (N, d), (N, sets) -> filters (sets, order, d), and `|y - max| / |y|` of each set (sets,)
    """
    values, directions = torch.linalg.eigh(x.T @ x / len(x))
    white = directions * values.clamp_min(1e-9 * values[-1]).rsqrt()  # (d, d): whitened patches are x @ white
    patches = x @ white
    products = (patches.unsqueeze(-1) * patches.unsqueeze(-2)).flatten(1)  # (N, d * d)
    random = torch.Generator().manual_seed(seed)
    sets, d = maxima.shape[1], x.shape[1]
    best = torch.zeros(sets, order, d, dtype=torch.float64)
    residuals = torch.full((sets,), torch.inf, dtype=torch.float64)
    linear = torch.linalg.lstsq(patches, maxima).solution.T  # the part that all filters of a set have in common
    for _ in range(restarts):
        open_sets = (residuals > 1e-8).nonzero().flatten()
        if not len(open_sets):
            break
        spread = maxima[:, open_sets].std(0).view(-1, 1, 1)
        noise = torch.randn(len(open_sets), order, d, generator=random, dtype=torch.float64)
        filters = linear[open_sets].unsqueeze(1) + spread * noise / d**0.5
        filters, left = _alternate(patches, products, maxima[:, open_sets], filters, turns)
        better = left < residuals[open_sets]
        best[open_sets[better]], residuals[open_sets[better]] = filters[better], left[better]
    return best @ white.T, residuals


def _alternate(patches: Tensor, products: Tensor, maxima: Tensor, filters: Tensor, turns: int) -> tuple[Tensor, Tensor]:
    """Turns of winners and least squares.  filters (sets, order, d) -> the same, and residuals (sets,)"""
    sets, order, d = filters.shape
    winners = torch.zeros(0)
    for _ in range(turns):
        following = torch.einsum("nd,kpd->kpn", patches, filters).argmax(1)
        if torch.equal(following, winners):
            break
        winners = following
        wins = F.one_hot(winners, order).transpose(1, 2).double()  # (sets, order, N)
        gram = (wins.flatten(0, 1) @ products).view(sets, order, d, d)
        moment = (wins * maxima.T.unsqueeze(1)) @ patches
        ridge = 1e-10 * len(patches) * torch.eye(d, dtype=torch.float64)  # a filter that wins too little stays finite
        filters = torch.linalg.solve(gram + ridge, moment)
    largest = torch.einsum("nd,kpd->kpn", patches, filters).amax(1)
    return filters, (maxima.T - largest).norm(dim=1) / maxima.norm(dim=0)
