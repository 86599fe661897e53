"""What a penalty costs in a training step: batched over generators, and as a Python loop over them."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional as F

from lgn.benchmarks.timing import interleaved
from lgn.nn import Classifier, UnfoldedEncoder
from lgn.penalties import AuxiliaryInverse, Penalty, SingularValues

NAMES: dict[str, type[Penalty]] = {"auxiliary inverse": AuxiliaryInverse, "singular values": SingularValues}


def penalty_ratios(shape: tuple[int, int, int], rounds: int = 30, batch: int = 128) -> dict[str, float]:
    """Step time with each penalty over the time without one, interleaved, minima."""
    functions = {"none": _step(shape, batch, None, False)}
    for name, penalty in NAMES.items():
        functions[f"{name}, batched"] = _step(shape, batch, penalty, False)
        functions[f"{name}, loop"] = _step(shape, batch, penalty, True)
    times = interleaved(functions, rounds)
    return {name: times[name] / times["none"] for name in functions if name != "none"}


def _step(shape: tuple[int, int, int], batch: int, kind: type[Penalty] | None, loop: bool) -> Callable[[], Tensor]:
    model = Classifier(UnfoldedEncoder(shape[0]), 10)
    penalty = None if kind is None else kind(model, 1e-3)
    images, labels = torch.randn(batch, *shape), torch.randint(10, (batch,))
    parameters = [*model.parameters(), *(penalty.parameters() if penalty is not None else ())]
    optimizer = torch.optim.Adam(parameters, lr=1e-3, fused=True)

    def step() -> Tensor:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images), labels)
        if penalty is not None:
            loss = loss + (_loop(penalty) if loop else penalty())
        loss.backward()
        optimizer.step()
        return loss

    return step


def _loop(penalty: Penalty) -> Tensor:
    """The penalty written as a loop: one generator at a time."""
    (generator,) = penalty.generators
    matrices = generator.matrix().flatten(0, 1)
    if isinstance(penalty, AuxiliaryInverse):
        (inverses,) = penalty.inverses.values()
        pairs = zip(matrices, inverses, strict=True)
        terms = [torch.linalg.matrix_norm(a @ inverse - torch.eye(len(a))) for a, inverse in pairs]
    else:
        terms = [-torch.linalg.svdvals(a).sum() for a in matrices]
    return penalty.weight * torch.stack(terms).sum()
