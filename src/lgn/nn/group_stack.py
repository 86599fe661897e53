"""Group layers after the first: convolutions on codes that are organised in sets, so that equivariance survives depth.

For a generator of an image symmetry T with `A^p = I`, turning the image turns the codes of a `GroupConv2d` and moves
them one element on. A layer that is to keep that must do the same to its filters.
"""

import torch
from torch import Tensor, nn

from lgn.generators import Family, Share, Start
from lgn.nn.bank import OrbitBank
from lgn.nn.layers import Bias, GroupConv2d, PaddingMode


class StackBank(nn.Module):
    """Filters on sets: element j of set k is `phi^j(W_k[l, i - j])` for element i of the incoming set l.

    The generator acts on the pixels and the element moves on, a group convolution over the cyclic group of order p.

    Shapes: filters (sets * order, in_sets * order, n, m)
    """

    def __init__(self, orbits: OrbitBank) -> None:
        super().__init__()
        self.orbits = orbits
        self.num_sets, self.order = orbits.num_sets, orbits.order

    def forward(self) -> Tensor:
        p = self.order
        filters = self.orbits()
        element = torch.arange(p, device=filters.device)
        source = (element - element[:, None]) % p  # (outgoing j, incoming i) -> i - j
        sets = filters.unflatten(1, (-1, p)).unflatten(0, (-1, p))  # (sets, j, in_sets, i, n, m)
        index = source[None, :, None, :, None, None].expand_as(sets)
        return sets.gather(3, index).flatten(2, 3).flatten(0, 1)


class GroupStackConv2d(GroupConv2d):
    """A `GroupConv2d` that takes codes in sets and gives codes in sets.

    Equivariant for a cyclic generator of an image symmetry, such as the quarter turn, on square images with symmetric
    padding and a bias per set, if all layers share the generator. Arguments are those of `GroupConv2d`, with the number
    of incoming sets for the channels.

    Shapes: (N, in_sets * order, H, W) -> (N, num_sets * order, H', W')
    """

    def __init__(
        self,
        in_sets: int,
        num_sets: int,
        order: int,
        kernel_size: int | tuple[int, int],
        stride: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] | str = 0,
        dilation: int | tuple[int, ...] = 1,
        bias: Bias = "set",
        padding_mode: PaddingMode = "zeros",
        *,
        generator: Family = "cyclic",
        share: Share = "layer",
        start: Start = "orthogonal",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        if in_sets < 1:
            raise ValueError(f"in_sets must be at least 1, got {in_sets}")
        super().__init__(
            in_sets * order,
            num_sets,
            order,
            kernel_size,
            stride,
            padding,
            dilation,
            bias,
            padding_mode,
            generator=generator,
            share=share,
            start=start,
            device=device,
            dtype=dtype,
        )
        self.in_sets = in_sets
        self.bank = StackBank(self.bank)  # type: ignore[assignment]


class SetBatchNorm2d(nn.Module):
    """Batch normalisation with statistics, scale and shift shared within a set.  (N, sets * order, H, W) -> the same"""

    def __init__(
        self,
        num_sets: int,
        order: int,
        *,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.order = order
        self.norm = nn.BatchNorm2d(num_sets, device=device, dtype=dtype)

    def forward(self, codes: Tensor) -> Tensor:
        sets = codes.unflatten(1, (-1, self.order))  # (N, sets, order, H, W)
        return self.norm(sets.flatten(2, 3)).view_as(codes)


def pool_sets(codes: Tensor, order: int) -> Tensor:
    """The largest response of each set: what is left does not see the group.  (N, K * p, ...) -> (N, K, ...)"""
    if codes.ndim < 2 or order < 1 or codes.shape[1] % order:
        raise ValueError(f"codes must have channels in sets of {order}, got shape {tuple(codes.shape)}")
    return codes.unflatten(1, (-1, order)).amax(2)


def advance(codes: Tensor, order: int, steps: int = 1) -> Tensor:
    """Move codes on by elements of their sets: what turning the image does to them, besides turning them."""
    return codes.unflatten(1, (-1, order)).roll(steps, 2).flatten(1, 2)
