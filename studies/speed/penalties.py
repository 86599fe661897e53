"""What a penalty costs in a training step: batched over generators, and as a Python loop over them."""

import torch
from torch import Tensor

from lgn.penalties import AuxiliaryInverse, Penalty, SingularValues
from studies.speed.steps import paper_step
from studies.speed.timing import ratios


class LoopedInverse(AuxiliaryInverse):
    """The same, one generator at a time."""

    def score(self, matrix: Tensor, order: int) -> Tensor:  # noqa: ARG002
        (inverses,) = self.inverses.values()
        pairs = zip(matrix, inverses, strict=True)
        return torch.stack([torch.linalg.matrix_norm(a @ inverse - torch.eye(len(a))) for a, inverse in pairs]).sum()


class LoopedSingularValues(SingularValues):
    """The same, one decomposition at a time."""

    def score(self, matrix: Tensor, order: int) -> Tensor:  # noqa: ARG002
        return -torch.stack([torch.linalg.svdvals(a).sum() for a in matrix]).sum()


WAYS: dict[str, type[Penalty]] = {
    "auxiliary inverse, batched": AuxiliaryInverse,
    "auxiliary inverse, loop": LoopedInverse,
    "singular values, batched": SingularValues,
    "singular values, loop": LoopedSingularValues,
}


def penalty_ratios(shape: tuple[int, int, int], rounds: int = 30) -> dict[str, float]:
    """Step time with each penalty over the time without one: interleaved, the median ratio within a round."""
    steps = {name: paper_step(shape, penalty=penalty) for name, penalty in WAYS.items()}
    return ratios(steps | {"none": paper_step(shape, penalty=None)}, "none", rounds)
