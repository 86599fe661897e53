"""Learning an operator from pairs of patches (sec. 5.2): `y = A x`, by gradient descent or in closed form."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Learned:
    """A linear map learned from pairs, and what it leaves unexplained."""

    #: (d, d), or (S, d, d) where S transformations were learned at once.
    matrix: Tensor
    #: `|Y - A X|_F / |Y|_F` on the pairs, over all transformations.
    residual: float
    #: The dimension of the span of the x; below d the map is only known there.
    rank: int
    epochs: int = 0


def closed_form(x: Tensor, y: Tensor, ridge: float = 1e-24) -> Learned:
    """`argmin_A |Y - A X|^2 + ridge |X|_2^2 |A|^2`, exact where the x span the space.

    From the singular values of X: the normal equations would square its condition number. Directions beyond
    rounding are left at zero.

    Shapes: x (N, d), y (N, d) or (S, N, d) -> matrix (d, d) or (S, d, d), float64.
    """
    x, y = _pairs(x, y)
    left, values, right = torch.linalg.svd(x, full_matrices=False)  # x = left diag(values) right
    kept = values > values[0] * max(x.shape) * torch.finfo(torch.float64).eps
    gain = torch.where(kept, values / (values**2 + ridge * values[0] ** 2), torch.zeros_like(values))
    matrix = ((left * gain).T @ y).transpose(-2, -1) @ right
    return Learned(matrix, _residual(matrix, x, y), int(kept.sum()))


def gradient_descent(
    x: Tensor,
    y: Tensor,
    epochs: int = 100,
    batch_size: int = 250,
    learning_rate: float = 0.01,
    seed: int = 0,
    progress: Callable[[int, float], None] | None = None,
) -> Learned:
    """The paper's way: one linear layer, the squared error, Adam, the rate halved at 50, 75 and 87.5 percent.

    Adam scales every entry on its own, so S transformations learned at once are S layers learned apart. Directions
    in which patches hardly vary are learned last: of natural images, the fine detail. In float32.

    `progress(epoch, loss)` is called after each epoch. Shapes as in `closed_form`.
    """
    if epochs < 1 or batch_size < 1:
        raise ValueError(f"epochs and batch_size must be at least 1, got {epochs} and {batch_size}")
    x, y = _pairs(x, y)
    d, single = x.shape[-1], y.ndim == 2
    inputs = x.float()
    targets = (y[None] if single else y).float().movedim(0, 1).flatten(1)  # (N, S d)
    random = torch.Generator().manual_seed(seed)
    # A linear layer starts uniform in +-1 / sqrt(d); one layer of S d outputs is S layers side by side.
    weight = ((2 * torch.rand(targets.shape[1], d, generator=random) - 1) / math.sqrt(d)).requires_grad_()
    optimizer = torch.optim.Adam([weight], lr=learning_rate)
    milestones = [round(share * epochs) for share in (0.5, 0.75, 0.875)]
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones, gamma=0.5)
    for epoch in range(1, epochs + 1):
        total = 0.0
        for batch in torch.randperm(len(inputs), generator=random).split(batch_size):
            loss = (inputs[batch] @ weight.T - targets[batch]).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += float(loss.detach()) * len(batch)
        scheduler.step()
        if progress is not None:
            progress(epoch, total / len(inputs))
    matrix = weight.detach().double().unflatten(0, (-1, d))
    matrix = matrix[0] if single else matrix
    return Learned(matrix, _residual(matrix, x, y), int(torch.linalg.matrix_rank(x)), epochs)


def _residual(matrix: Tensor, x: Tensor, y: Tensor) -> float:
    return float((y - x @ matrix.transpose(-2, -1)).norm() / y.norm().clamp_min(1e-300))


def _pairs(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    if x.ndim != 2 or len(x) == 0:
        raise ValueError(f"x must be vectors (N, d), got shape {tuple(x.shape)}")
    if y.ndim not in (2, 3) or y.shape[-2:] != x.shape:
        raise ValueError(f"y must end in the shape {tuple(x.shape)} of x, got {tuple(y.shape)}")
    if not (torch.isfinite(x).all() and torch.isfinite(y).all()):
        raise ValueError("x and y must be finite, got infinities or NaN")
    return x.double(), y.double()
