"""Group convolutions after the first layer: they take codes in sets and return codes in sets, and stay equivariant.

If T_u is a symmetry of images that acts on filters as rho(u), then T_u of the image moves the codes of a `GroupConv2d`
like the image, and the code of element `u^-1 g` of a set to element g. A layer that preserves this does the same to its
filters.
"""

import warnings
from typing import Any

import torch
import torch.fx
from torch import Tensor, nn

from lgn.generators import Family, Share
from lgn.groups import Group
from lgn.nn.bank import OrbitBank, group_of_layer, require_positive
from lgn.nn.element_matrices import ElementFilters
from lgn.nn.layers import GroupConv, GroupConv1d, GroupConv2d, GroupConv3d
from lgn.warning import LgnWarning


class BrokenEquivarianceWarning(LgnWarning):
    """The padding, the stride or the bias of a layer breaks its equivariance."""


class StackBank(nn.Module):
    """Filters on sets: element g of set k is `rho(g) W_k[l, g^-1 h]` for element h of the incoming set l.

    This is a group convolution: the generators act on the pixels, and the table of the group permutes the elements. For
    the cyclic group of order p the filter is `phi^j(W_k[l, i - j])`.

    Shapes: filters (sets * order, in_sets * order, n, m)
    """

    source: Tensor
    places: Tensor
    back: Tensor

    def __init__(self, orbits: OrbitBank) -> None:
        super().__init__()
        self.orbits = orbits
        self.num_sets, self.order, group = orbits.num_sets, orbits.order, orbits.group
        source = group.table[group.inverses].cpu()  # (outgoing g, incoming h) -> g^-1 h
        # The place of the filter (set, g, incoming set, h) among (set, incoming set, g^-1 h, g), and the inverse.
        k, p, incoming = self.num_sets, self.order, orbits.basis.shape[1] // self.order
        numbers = torch.arange(k * incoming * p * p).view(k, incoming, p, p)
        places = numbers[:, :, source, torch.arange(p)[:, None]].transpose(1, 2).flatten()
        for name, indices in (("source", source), ("places", places), ("back", places.argsort())):
            self.register_buffer(name, indices.to(orbits.basis.device), persistent=False)

    def forward(self) -> Tensor:
        p = self.order
        if (matrices := self.orbits.element_matrices()) is not None:
            filters = ElementFilters.apply(self.orbits.basis, matrices, self.places, self.back)
            return filters.view(self.num_sets * p, -1, *self.orbits.patch)
        filters = self.orbits()
        sets = filters.unflatten(1, (-1, p)).unflatten(0, (-1, p))  # (sets, g, in_sets, h, n, m)
        index = self.source.view(1, p, 1, p, *(1,) * (filters.ndim - 2)).expand_as(sets)
        return sets.gather(3, index).flatten(2, 3).flatten(0, 1)


class GroupStackConv(GroupConv):
    """A group convolution from codes in sets to codes in sets, for any number of axes.

    The other arguments are those of `GroupConv2d`, such as stride and padding, except the `channel_generator`.
    """

    def __init__(
        self,
        in_sets: int,
        num_sets: int,
        kernel_size: int | tuple[int, ...],
        *arguments: Any,
        group: Group | str | int = 4,
        generator: Family | None = None,
        share: Share = "layer",
        **options: Any,
    ) -> None:
        require_positive(in_sets=in_sets)
        group = group_of_layer(group)
        if generator is None:
            generator = "cyclic" if len(group.generators) == 1 else "representation"
        options |= {"group": group, "generator": generator, "share": share}
        super().__init__(in_sets * group.order, num_sets, kernel_size, *arguments, **options)
        self.in_sets = in_sets
        self._warned = False
        self._checked_size: tuple[int, ...] = ()  # the size of the last images that were checked

    def _make_bank(self, orbits: OrbitBank) -> StackBank:
        return StackBank(orbits)

    def forward(self, x: Tensor) -> Tensor:
        check = not (self._warned or torch.compiler.is_compiling() or isinstance(x, torch.fx.Proxy))
        if check and self._checked_size != x.shape[2:]:
            self._checked_size = tuple(x.shape[2:])
            if reason := self._broken_by(x):
                self._warned = True
                warnings.warn(f"this layer is not equivariant: {reason}", BrokenEquivarianceWarning, stacklevel=2)
        return super().forward(x)

    def _broken_by(self, x: Tensor) -> str | None:
        """The option that breaks turns and reflections of images of this size, or None."""
        margins = self._margins()
        for before, after in margins:
            if before != after:
                return f"padding='same' adds {before} and {after} pixels at opposite sides, use a kernel of odd size"
        if self.bias is not None and not self.bias_per_set:
            return "bias=True has one number per filter, use bias='set'"
        for axis, (margin, _) in enumerate(margins):
            span = x.shape[2 + axis] + 2 * margin - self.dilation[axis] * (self.kernel_size[axis] - 1) - 1
            if left_over := span % self.stride[axis]:
                size = x.shape[2 + axis]
                return f"stride={self.stride[axis]} skips {left_over} of {size} pixels at one side, use another size"
        return None


class GroupStackConv2d(GroupStackConv, GroupConv2d):
    """A `GroupConv2d` from codes in sets to codes in sets.

    It is equivariant to every element of a group of image symmetries, such as quarter turns and reflections, if images
    are square, padding is symmetric, the bias is per set and all layers share the generators. The arguments are those
    of `GroupConv2d`, with the number of incoming sets in place of the input channels.

    Shapes: (N, in_sets * order, H, W) -> (N, num_sets * order, H', W')
    """


class GroupStackConv1d(GroupStackConv, GroupConv1d):
    """`GroupStackConv2d` for signals.  (N, in_sets * order, T) -> (N, num_sets * order, T')"""


class GroupStackConv3d(GroupStackConv, GroupConv3d):
    """`GroupStackConv2d` for volumes.

    Shapes: (N, in_sets * order, D, H, W) -> (N, num_sets * order, D', H', W')
    """
