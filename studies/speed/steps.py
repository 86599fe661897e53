"""Training steps to be timed: the paper's network in each of the library's ways, and with each penalty."""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.nn import Classifier, UnfoldedEncoder, project
from lgn.nn.kernels.native.compiled import kernels
from lgn.penalties import AuxiliaryInverse, Penalty, SingularValues
from lgn.training import build_model, build_penalty, preset
from studies.speed.timing import ratios

Shape = tuple[int, int, int]
SHAPES: dict[str, Shape] = {"mnist": (1, 28, 28), "cifar10": (3, 32, 32)}
BATCH = 128
CLIP = 2.0


def paths() -> tuple[str, ...]:
    """The library's ways to make a step on this machine, the one that it chooses last."""
    return ("plain", "fast", "native") if kernels() is not None else ("plain", "fast")


def paper_step(
    shape: Shape,
    *,
    path: str = "auto",
    penalty: type[Penalty] | None = AuxiliaryInverse,
    batch: int = BATCH,
    **network: Any,
) -> Callable[[], Tensor]:
    model = Classifier(UnfoldedEncoder(shape[0], path=path, **network), 10)  # type: ignore[arg-type]
    return model_step(model, None if penalty is None else penalty(model, 1e-3), shape, batch)


def released_step(shape: Shape, *, path: str = "auto") -> Callable[[], Tensor]:
    """A training step with the settings of the authors' code: momentum, a generator a channel, unit norms after it."""
    config = preset("released")
    model = build_model(config, shape, 10, "classify")
    assert isinstance(model, Classifier)
    model.encoder.path = path  # type: ignore[assignment]
    return model_step(model, build_penalty(config, model), shape, after=lambda: project(model))


def model_step(
    model: nn.Module,
    penalty: Penalty | None,
    shape: Shape,
    batch: int = BATCH,
    after: Callable[[], object] = lambda: None,
) -> Callable[[], Tensor]:

    def objective(images: Tensor, labels: Tensor) -> Tensor:
        loss = F.cross_entropy(model(images), labels)
        return loss if penalty is None else loss + penalty()

    parameters = [*model.parameters(), *(penalty.parameters() if penalty is not None else ())]
    return training_step(objective, parameters, shape, batch, after, fused=True)


def training_step(
    objective: Callable[[Tensor, Tensor], Tensor],
    parameters: Iterable[Tensor],
    shape: Shape,
    batch: int = BATCH,
    after: Callable[[], object] = lambda: None,
    fused: bool = False,
) -> Callable[[], Tensor]:
    (images, labels), parameters = random_batch(shape, batch), list(parameters)
    optimizer = torch.optim.Adam(parameters, lr=1e-3, fused=fused)

    def step() -> Tensor:
        optimizer.zero_grad()
        loss = objective(images, labels)
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, CLIP)
        optimizer.step()
        after()
        return loss

    return step


def random_batch(shape: Shape, count: int) -> tuple[Tensor, Tensor]:
    return torch.randn(count, *shape), torch.randint(10, (count,))


def looped_inverse(matrices: Iterable[Tensor], inverses: Iterable[Tensor]) -> Tensor:
    """The sum of `|A A' - I|` over generators, in a loop."""
    pairs = zip(matrices, inverses, strict=True)
    errors = [torch.linalg.matrix_norm(a @ inverse - torch.eye(a.shape[-1])).sum() for a, inverse in pairs]
    return torch.stack(errors).sum()


class LoopedInverse(AuxiliaryInverse):
    def score(self, matrix: Tensor, order: int) -> Tensor:  # noqa: ARG002
        (inverses,) = self.inverses.values()
        return looped_inverse(matrix, inverses)


class LoopedSingularValues(SingularValues):
    def score(self, matrix: Tensor, order: int) -> Tensor:  # noqa: ARG002
        return -torch.stack([torch.linalg.svdvals(a).sum() for a in matrix]).sum()


PENALTIES: dict[str, type[Penalty] | None] = {
    "none": None,
    "auxiliary inverse, batched": AuxiliaryInverse,
    "auxiliary inverse, loop": LoopedInverse,
    "singular values, batched": SingularValues,
    "singular values, loop": LoopedSingularValues,
}


def penalty_ratios(shape: Shape, rounds: int = 30) -> dict[str, float]:
    """Step time with each penalty over the time without one."""
    return ratios({name: paper_step(shape, penalty=penalty) for name, penalty in PENALTIES.items()}, "none", rounds)
