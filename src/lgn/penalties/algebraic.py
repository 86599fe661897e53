"""`Penalty`, the interface of all penalties, and those for invertible matrices and true groups (sec. 4.1, app. B)."""

from typing import Any, ClassVar, Literal

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from lgn.generators import generators_of, matrices_by_size, start_matrices
from lgn.groups import relation_products
from lgn.linalg import fast_polar_factor, identity_like


class Penalty(nn.Module):
    """`weight * value`, where the value is a function of the trained generators of a model.

    A subclass defines the `score` of single matrices, or the `value` of all generators.
    """

    default_weight: ClassVar[float] = 1e-3

    def __init__(self, model: nn.Module, weight: float | None = None) -> None:
        super().__init__()
        self.weight = self.default_weight if weight is None else weight
        if self.weight < 0:
            raise ValueError(f"weight must be at least 0, got {weight}")
        # A tuple, not a ModuleList: the generators belong to the model, not to the penalty.
        self.generators = tuple(g for g in generators_of(model).values() if any(True for _ in g.parameters()))
        if not self.generators:
            raise ValueError(f"model must have a trained generator, got {type(model).__name__} without one")

    def score(self, matrix: Tensor, order: int) -> Tensor:
        """The sum of the score over a batch of matrices of one size and order.  (count, d, d) -> ()"""
        raise NotImplementedError

    def value(self) -> Tensor:
        """The penalty without its weight: the sum over all matrices, in one batch for each size and order.  -> ()"""
        batches = matrices_by_size(self.generators)
        return torch.stack([self.score(matrix, order) for (_, order), matrix in batches.items()]).sum()

    def forward(self) -> Tensor:
        return self.weight * self.value()

    def extra_repr(self) -> str:
        return f"weight={self.weight:g}"


class AuxiliaryInverse(Penalty):
    """`mu * sum ||A A~ - I||_F`, not squared, with trained matrices `A~` (sec. 4.1).

    The auxiliary inverses are parameters of the penalty: give them to the optimiser too. They start at the inverse of
    A (`start="inverse"`) or, as in the authors' code, at Gaussian matrices (`start="gaussian"`).
    """

    def __init__(
        self, model: nn.Module, weight: float = 1e-3, *, start: Literal["inverse", "gaussian"] = "inverse"
    ) -> None:
        super().__init__(model, weight)
        if start not in ("inverse", "gaussian"):
            raise ValueError(f"start must be one of inverse, gaussian, got {start!r}")
        with torch.no_grad():
            batches = matrices_by_size(self.generators)
        self.inverses = nn.ParameterDict()
        for (d, order), matrix in batches.items():
            if start == "inverse":
                inverse = torch.linalg.pinv(matrix.detach())
            else:
                leading = (len(matrix), 1)
                inverse = start_matrices("gaussian", leading, d, dtype=matrix.dtype, device=matrix.device)[:, 0]
            self.inverses[_key(d, order)] = nn.Parameter(inverse)

    def score(self, matrix: Tensor, order: int) -> Tensor:
        inverse = self.inverses[_key(matrix.shape[-1], order)]
        return _norms(torch.baddbmm(identity_like(matrix), matrix, inverse, beta=-1)).sum()


class SingularValues(Penalty):
    """`-mu * sum sigma_i(A)` (app. B, eq. 12). It decreases without bound as A grows."""

    default_weight = 1e-2

    def score(self, matrix: Tensor, order: int) -> Tensor:  # noqa: ARG002
        return -_NuclearNorm.apply(matrix)


class LogDeterminant(Penalty):
    """`-mu * log prod sigma_i(A) = -mu * log |det A|` (app. B): singular values stay away from zero.

    It decreases without bound as A grows.
    """

    default_weight = 1e-2

    def score(self, matrix: Tensor, order: int) -> Tensor:  # noqa: ARG002
        return -torch.linalg.slogdet(matrix).logabsdet.sum()


class Orthogonality(Penalty):
    """`mu * sum ||A^T A - I||_F`: the Stiefel manifold of app. B as a soft constraint."""

    def score(self, matrix: Tensor, order: int) -> Tensor:  # noqa: ARG002
        return _norms(matrix.mT @ matrix - identity_like(matrix)).sum()


class Closure(Penalty):
    """`mu * sum ||A^p - I||_F`: the powers of A form a cyclic group of order p (sec. 3).

    For a group with several generators, p is the order of each generator; `Relations` contains the relations between
    the generators too.
    """

    def score(self, matrix: Tensor, order: int) -> Tensor:
        return _norms(torch.linalg.matrix_power(matrix, order) - identity_like(matrix)).sum()


class Relations(Penalty):
    """`mu * sum ||w(A_1, A_2, ...) - I||_F` over the relations w of the group: a true group of matrices (sec. 3).

    For a cyclic group, with the relation `A^p = I`, it equals `Closure`.
    """

    def value(self) -> Tensor:
        scores = []
        for generator in self.generators:
            matrices = generator.matrix().unflatten(0, (len(generator.group.generators), -1))
            scores.append(_norms(relation_products(generator.group, matrices) - identity_like(matrices)).sum())
        return torch.stack(scores).sum()


class _NuclearNorm(torch.autograd.Function):
    """The sum of all singular values of a batch, `<A, U V^T>`, whose gradient is the polar factor `U V^T` itself."""

    @staticmethod
    def forward(ctx: Any, matrix: Tensor) -> Tensor:
        factor = fast_polar_factor(matrix)
        ctx.save_for_backward(factor)
        return (matrix * factor).sum()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, g: Tensor) -> Tensor:
        return g * ctx.saved_tensors[0]


def _norms(matrix: Tensor) -> Tensor:
    return torch.linalg.vector_norm(matrix, dim=(-2, -1))


def _key(d: int, order: int) -> str:
    return f"{d}x{d}^{order}"
