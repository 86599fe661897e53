"""Operations on codes whose channels are sets: normalisation, pooling over sets, and the action of a group element."""

from typing import ClassVar

import torch
from torch import Tensor, nn

from lgn.groups import Group, as_group


class SetBatchNorm(nn.Module):
    """Batch normalisation with statistics, scale and shift shared within a set."""

    plain: ClassVar[type[nn.BatchNorm1d | nn.BatchNorm2d | nn.BatchNorm3d]]  # the layer of torch

    def __init__(
        self,
        num_sets: int,
        *,
        group: Group | str | int = 4,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.order = _order(group)
        self.norm = self.plain(num_sets, device=device, dtype=dtype)

    def forward(self, codes: Tensor) -> Tensor:
        sets = codes.unflatten(1, (-1, self.order))  # (N, sets, order, H, W)
        return self.norm(sets.flatten(2, 3)).view_as(codes)


class SetBatchNorm1d(SetBatchNorm):
    """See `SetBatchNorm`.  (N, sets * order, T) -> the same"""

    plain = nn.BatchNorm1d


class SetBatchNorm2d(SetBatchNorm):
    """See `SetBatchNorm`.  (N, sets * order, H, W) -> the same"""

    plain = nn.BatchNorm2d


class SetBatchNorm3d(SetBatchNorm):
    """See `SetBatchNorm`.  (N, sets * order, D, H, W) -> the same"""

    plain = nn.BatchNorm3d


def pool_sets(codes: Tensor, *, group: Group | str | int) -> Tensor:
    """The largest response of every set, which is invariant to the group.  (N, K * p, ...) -> (N, K, ...)"""
    order = _order(group)
    if codes.ndim < 2 or order < 1 or codes.shape[1] % order:
        raise ValueError(f"codes must have channels in sets of {order}, got shape {tuple(codes.shape)}")
    return codes.unflatten(1, (-1, order)).amax(2)


def advance(codes: Tensor, steps: int | str = 1, *, group: Group | str | int) -> Tensor:
    """Move codes within their sets as a symmetry of the image does, apart from moving the pixels.

    `steps` is the element u of the group, by number or by word: the code of element `u^-1 g` moves to element g. In a
    cyclic group u is the generator to the power `steps`.  (N, K * p, ...) -> the same
    """
    group = as_group(group)
    element = group[steps].number if isinstance(steps, str) else steps % group.order
    moved = group.table[group.inverses[element]].to(codes.device)
    return codes.unflatten(1, (-1, group.order))[:, :, moved].flatten(1, 2)


def _order(group: Group | str | int) -> int:
    return group if isinstance(group, int) else as_group(group).order
