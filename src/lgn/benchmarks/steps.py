"""Training steps to be timed: the paper's network in each of the library's ways, and as one would write it first."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.benchmarks.straightforward import StraightforwardClassifier
from lgn.nn import Classifier, UnfoldedEncoder
from lgn.nn.kernels.native.compiled import kernels
from lgn.penalties import AuxiliaryInverse, Penalty

SHAPES = {"mnist": (1, 28, 28), "cifar10": (3, 32, 32)}
BATCH = 128


def paths() -> tuple[str, ...]:
    """The library's ways to make a step on this machine, the one that it chooses last."""
    return ("plain", "fast", "native") if kernels() is not None else ("plain", "fast")


def paper_step(
    shape: tuple[int, int, int],
    *,
    path: str = "auto",
    penalty: type[Penalty] | None = AuxiliaryInverse,
    batch: int = BATCH,
    **network: Any,
) -> Callable[[], Tensor]:
    """A training step of the paper's network: forward, penalty, backward, Adam."""
    model = Classifier(UnfoldedEncoder(shape[0], path=path, **network), 10)  # type: ignore[arg-type]
    return _step(model, None if penalty is None else penalty(model, 1e-3), shape, batch)


def straightforward_step(shape: tuple[int, int, int]) -> Callable[[], Tensor]:
    """The same step as a reader of the paper would write it first."""
    model = StraightforwardClassifier(shape[0])
    images, labels = random_batch(shape, BATCH)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    def step() -> Tensor:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images), labels) + 1e-3 * model.penalty()
        loss.backward()
        optimizer.step()
        return loss

    return step


def _step(model: nn.Module, penalty: Penalty | None, shape: tuple[int, int, int], batch: int) -> Callable[[], Tensor]:
    images, labels = random_batch(shape, batch)
    parameters = [*model.parameters(), *(penalty.parameters() if penalty is not None else ())]
    optimizer = torch.optim.Adam(parameters, lr=1e-3, fused=True)

    def step() -> Tensor:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images), labels)
        if penalty is not None:
            loss = loss + penalty()
        loss.backward()
        optimizer.step()
        return loss

    return step


def random_batch(shape: tuple[int, int, int], count: int) -> tuple[Tensor, Tensor]:
    """Images and labels that mean nothing: a step takes as long on them."""
    return torch.randn(count, *shape), torch.randint(10, (count,))
