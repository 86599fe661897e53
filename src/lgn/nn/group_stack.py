"""Group layers after the first: convolutions on codes that are organised in sets, so that equivariance survives depth.

Let rho(u) be what a symmetry T_u of images does to filters. Turning the image by T_u turns the codes of a `GroupConv2d`
and moves element `u^-1 g` of each set to g. A layer that is to keep that must do the same to its filters.
"""

import warnings
from typing import ClassVar

import torch
import torch.fx
from torch import Tensor, nn

from lgn.generators import Family, Share, Start
from lgn.groups import Group, as_group
from lgn.nn.bank import OrbitBank, layer_group
from lgn.nn.known import KnownFilters
from lgn.nn.layers import Bias, GroupConv, GroupConv1d, GroupConv2d, GroupConv3d, PaddingMode
from lgn.warning import LgnWarning


class BrokenEquivarianceWarning(LgnWarning):
    """A layer that is made for equivariance does not have it: by its padding, its stride or its bias."""


class StackBank(nn.Module):
    """Filters on sets: element g of set k is `rho(g) W_k[l, g^-1 h]` for element h of the incoming set l.

    The generators act on the pixels and the elements move by the table: a group convolution. For the cyclic group of
    order p it is `phi^j(W_k[l, i - j])`.

    Shapes: filters (sets * order, in_sets * order, n, m)
    """

    source: Tensor
    places: Tensor
    back: Tensor

    def __init__(self, orbits: OrbitBank) -> None:
        super().__init__()
        self.orbits = orbits
        self.num_sets, self.order, self.group = orbits.num_sets, orbits.order, orbits.group
        # (outgoing g, incoming h) -> g^-1 h
        source = self.group.table[self.group.inverses].to(orbits.basis.device)
        self.register_buffer("source", source, persistent=False)
        # Where the filter (set, g, incoming set, h) is among (set, incoming set, g^-1 h, g), and the other way round.
        k, p, incoming = self.num_sets, self.order, orbits.basis.shape[1] // self.order
        numbers = torch.arange(k * incoming * p * p, device=source.device).view(k, incoming, p, p)
        places = numbers[:, :, source, torch.arange(p)[:, None]].transpose(1, 2).flatten()
        self.register_buffer("places", places, persistent=False)
        self.register_buffer("back", places.argsort(), persistent=False)

    def forward(self) -> Tensor:
        p = self.order
        if (known := self.orbits.known()) is not None:
            filters = KnownFilters.apply(self.orbits.basis, known, self.places, self.back)
            return filters.view(self.num_sets * p, -1, *self.orbits.patch)
        filters = self.orbits()
        sets = filters.unflatten(1, (-1, p)).unflatten(0, (-1, p))  # (sets, g, in_sets, h, n, m)
        index = self.source.view(1, p, 1, p, *(1,) * (filters.ndim - 2)).expand_as(sets)
        return sets.gather(3, index).flatten(2, 3).flatten(0, 1)


class GroupStackConv(GroupConv):
    """A group convolution that takes codes in sets and gives codes in sets, for any number of axes."""

    def __init__(
        self,
        in_sets: int,
        num_sets: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] | str = 0,
        dilation: int | tuple[int, ...] = 1,
        bias: Bias = "set",
        padding_mode: PaddingMode = "zeros",
        *,
        group: Group | str | int = 4,
        generator: Family | None = None,
        share: Share = "layer",
        start: Start = "orthogonal",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        if in_sets < 1:
            raise ValueError(f"in_sets must be at least 1, got {in_sets}")
        chosen = layer_group(group)
        if generator is None:
            generator = "cyclic" if len(chosen.generators) == 1 else "representation"
        super().__init__(
            in_sets * chosen.order,
            num_sets,
            kernel_size,
            stride,
            padding,
            dilation,
            bias,
            padding_mode,
            group=chosen,
            generator=generator,
            share=share,
            start=start,
            device=device,
            dtype=dtype,
        )
        self.in_sets = in_sets
        self.bank = StackBank(self.bank)  # type: ignore[assignment]
        self._warned = False
        self._watched: tuple[int, ...] = ()  # the size of images that was looked at last

    def forward(self, x: Tensor) -> Tensor:
        watched = not (self._warned or torch.compiler.is_compiling() or isinstance(x, torch.fx.Proxy))
        if watched and self._watched != x.shape[2:]:
            self._watched = tuple(x.shape[2:])
            if reason := self._broken_by(x):
                self._warned = True
                warnings.warn(f"this layer is not equivariant: {reason}", BrokenEquivarianceWarning, stacklevel=2)
        return super().forward(x)

    def _broken_by(self, x: Tensor) -> str | None:
        """What of the layer no symmetry that turns or reflects an image of this size goes through."""
        after, before = self._margins()[::-2], self._margins()[-2::-2]
        for first, last in zip(before, after, strict=True):
            if first != last:
                return f"padding 'same' of a kernel of {self.kernel_size} adds {first} and {last} pixels at two sides"
        if self.bias is not None and not self.bias_per_set:
            return "bias True has one for each filter; bias='set' shares it within a set"
        for axis, margin in enumerate(before):
            room = x.shape[2 + axis] + 2 * margin - self.dilation[axis] * (self.kernel_size[axis] - 1) - 1
            if room % self.stride[axis]:
                left_over = f"{room % self.stride[axis]} of {x.shape[2 + axis]} pixels"
                return (
                    f"stride {self.stride[axis]} leaves {left_over} over at one side; images of other sizes leave none"
                )
        return None


class GroupStackConv2d(GroupStackConv, GroupConv2d):
    """A `GroupConv2d` that takes codes in sets and gives codes in sets.

    Equivariant for every element of a group of image symmetries, such as quarter turns and reflections, on square
    images with symmetric padding and a bias per set, if all layers share the generators. Arguments are those of
    `GroupConv2d`, with the number of incoming sets for the channels.

    Shapes: (N, in_sets * order, H, W) -> (N, num_sets * order, H', W')
    """


class GroupStackConv1d(GroupStackConv, GroupConv1d):
    """The same for signals; see `GroupStackConv2d`.  (N, in_sets * order, T) -> (N, num_sets * order, T')"""


class GroupStackConv3d(GroupStackConv, GroupConv3d):
    """The same for volumes; see `GroupStackConv2d`.

    Shapes: (N, in_sets * order, D, H, W) -> (N, num_sets * order, D', H', W')
    """


class SetBatchNorm(nn.Module):
    """Batch normalisation with statistics, scale and shift shared within a set, for any number of axes."""

    plain: ClassVar[type[nn.BatchNorm1d | nn.BatchNorm2d | nn.BatchNorm3d]]  # torch's own

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
    """The largest response of each set: what is left does not see the group.  (N, K * p, ...) -> (N, K, ...)"""
    order = _order(group)
    if codes.ndim < 2 or order < 1 or codes.shape[1] % order:
        raise ValueError(f"codes must have channels in sets of {order}, got shape {tuple(codes.shape)}")
    return codes.unflatten(1, (-1, order)).amax(2)


def advance(codes: Tensor, steps: int | str = 1, *, group: Group | str | int) -> Tensor:
    """Move codes to other elements of their sets: what a symmetry of the image does to them, besides moving pixels.

    `steps` is the element u, by number or word: what is at `u^-1 g` comes to g. In a cyclic group u is the generator to
    the power `steps`.  (N, K * p, ...) -> the same
    """
    group = as_group(group)
    element = group[steps].number if isinstance(steps, str) else steps % group.order
    moved = group.table[group.inverses[element]].to(codes.device)
    return codes.unflatten(1, (-1, group.order))[:, :, moved].flatten(1, 2)


def _order(group: int | Group | str) -> int:
    return group if isinstance(group, int) else as_group(group).order
