"""The generator that maps each filter of a set to the next, in closed form."""

import torch
from torch import Tensor

from lgn.actions import vec
from lgn.generators.starts import Share


def consecutive_pairs(filters: Tensor, share: Share) -> tuple[Tensor, Tensor]:
    """Elements j and j + 1 of all sets that share a generator, as columns of two matrices.

    Shapes: (sets, order, channels, n, m) -> two of (leading, channels or 1, d, pairs)
    """
    vectors = vec(filters, filters.ndim - 3)  # (sets, order, channels, d)
    return _columns(vectors[:, :-1], vectors[:, 1:], share)


def element_pairs(filters: Tensor, moved: Tensor, share: Share) -> tuple[Tensor, Tensor]:
    """The same for elements g and `moved[g] = a g`, which the generator a of a group relates."""
    vectors = vec(filters, filters.ndim - 3)
    return _columns(vectors, vectors[:, moved], share)


def _columns(before: Tensor, after: Tensor, share: Share) -> tuple[Tensor, Tensor]:
    if share == "channel":
        return before.permute(0, 2, 3, 1), after.permute(0, 2, 3, 1)
    if share != "set":
        before, after = before.flatten(0, 1).unsqueeze(0), after.flatten(0, 1).unsqueeze(0)
    return before.flatten(1, 2).mT.unsqueeze(1), after.flatten(1, 2).mT.unsqueeze(1)


def least_squares_generator(before: Tensor, after: Tensor) -> Tensor:
    """`A = B_plus pinv(B_minus)` on the span of the first elements, and an isometry on its orthogonal complement.

    The data do not determine the complement. The isometry between the complements that is nearest to the identity makes
    A invertible if the spans have the same dimension. Matrices are completed one at a time, which is slow.

    Shapes: (..., d, pairs), (..., d, pairs) -> (..., d, d)
    """
    matrix = after @ torch.linalg.pinv(before)
    pairs = zip(before.flatten(0, -3), after.flatten(0, -3), strict=True)
    return matrix + torch.stack([_between_complements(b, a) for b, a in pairs]).reshape(matrix.shape)


def _between_complements(before: Tensor, after: Tensor) -> Tensor:
    rest_before, rest_after = _complement(before), _complement(after)
    u, _, vh = torch.linalg.svd(rest_after.mT @ rest_before, full_matrices=False)
    return rest_after @ u @ vh @ rest_before.mT


def _complement(columns: Tensor) -> Tensor:
    """An orthonormal basis of the orthogonal complement of the columns."""
    u, s, _ = torch.linalg.svd(columns, full_matrices=True)
    rank = int((s > s.max() * max(columns.shape) * torch.finfo(s.dtype).eps).sum()) if s.numel() else 0
    return u[:, rank:]
