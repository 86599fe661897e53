"""The generators that map the filters of a set to each other, by least squares."""

import torch
from torch import Tensor

from lgn.generators.starts import Share
from lgn.groups import Group


def filter_pairs(vectors: Tensor, group: Group, share: Share, *, closed: bool | None = None) -> tuple[Tensor, Tensor]:
    """Filters and their images under each generator of a group, as columns of two matrices.

    In a set of a cyclic group, a generator maps filter j to filter j + 1, and the last filter to the first if the set
    is `closed`, that is if `A^p = I`. By default, only the sets of groups with several generators are closed.

    Shapes: (..., sets, order, channels, d) -> (..., 1, leading, channels or 1, d, pairs) and
    (..., generators, leading, channels or 1, d, pairs), with one matrix for each `share`
    """
    closed = len(group.generators) > 1 if closed is None else closed
    used = group.order if closed else group.order - 1

    def columns(part: Tensor) -> Tensor:
        if share == "channel":
            return part.movedim(-3, -1)
        if share != "set":
            part = part.flatten(-4, -3).unsqueeze(-4)
        return part.flatten(-3, -2).mT.unsqueeze(-3)

    after = [columns(vectors[..., group.table[a][:used].to(vectors.device), :, :]) for a in group.generator_elements]
    return columns(vectors[..., :used, :, :]).unsqueeze(-5), torch.stack(after, -5)


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
