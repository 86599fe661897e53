"""Training steps to be timed: the paper's network in each of the library's ways, and as one would write it first."""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.nn import Classifier, UnfoldedEncoder, project
from lgn.nn.kernels.native.compiled import kernels
from lgn.penalties import AuxiliaryInverse, Penalty
from lgn.training import build_model, build_penalty, preset
from studies.speed.straightforward import StraightforwardClassifier

SHAPES = {"mnist": (1, 28, 28), "cifar10": (3, 32, 32)}
BATCH = 128
CLIP = 2.0


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
    """A training step of the paper's network: forward, penalty, backward, clip, Adam."""
    model = Classifier(UnfoldedEncoder(shape[0], path=path, **network), 10)  # type: ignore[arg-type]
    return _step(model, None if penalty is None else penalty(model, 1e-3), shape, batch)


def released_step(shape: tuple[int, int, int], *, path: str = "auto") -> Callable[[], Tensor]:
    """A training step with the settings of the authors' code: momentum, a generator a channel, unit norms after it."""
    config = preset("released")
    model = build_model(config, shape, 10, "classify")
    assert isinstance(model, Classifier)
    model.encoder.path = path  # type: ignore[assignment]
    return _step(model, build_penalty(config, model), shape, BATCH, after=lambda: project(model))


def straightforward_step(shape: tuple[int, int, int], *, released: bool = False) -> Callable[[], Tensor]:
    """The same step as a reader of the paper, or of its code, would write it first."""
    model = StraightforwardClassifier(shape[0], released=released)

    def objective(images: Tensor, labels: Tensor) -> Tensor:
        return F.cross_entropy(model(images), labels) + 1e-3 * model.penalty()

    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    return made_step(objective, list(model.parameters()), optimizer, shape, BATCH, model.project if released else None)


def _step(
    model: nn.Module,
    penalty: Penalty | None,
    shape: tuple[int, int, int],
    batch: int,
    after: Callable[[], None] | None = None,
) -> Callable[[], Tensor]:
    def objective(images: Tensor, labels: Tensor) -> Tensor:
        loss = F.cross_entropy(model(images), labels)
        return loss if penalty is None else loss + penalty()

    parameters = [*model.parameters(), *(penalty.parameters() if penalty is not None else ())]
    optimizer = torch.optim.Adam(parameters, lr=1e-3, fused=True)
    return made_step(objective, parameters, optimizer, shape, batch, after)


def made_step(
    objective: Callable[[Tensor, Tensor], Tensor],
    parameters: Iterable[Tensor],
    optimizer: torch.optim.Optimizer,
    shape: tuple[int, int, int],
    batch: int,
    after: Callable[[], None] | None = None,
) -> Callable[[], Tensor]:
    """A step on images that mean nothing: it takes as long on them."""
    (images, labels), parameters = random_batch(shape, batch), list(parameters)

    def step() -> Tensor:
        optimizer.zero_grad()
        loss = objective(images, labels)
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, CLIP)
        optimizer.step()
        if after is not None:
            after()
        return loss

    return step


def random_batch(shape: tuple[int, int, int], count: int) -> tuple[Tensor, Tensor]:
    """Images and labels that mean nothing."""
    return torch.randn(count, *shape), torch.randint(10, (count,))
