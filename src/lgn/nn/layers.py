"""`GroupConv1d`, `GroupConv2d` and `GroupConv3d`: the convolutions of torch with filters that are orbits."""

import math
from abc import ABC, abstractmethod
from typing import ClassVar, Literal, get_args

import torch
import torch.fx
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.actions import size_text
from lgn.generators import Family, Share, Start
from lgn.groups import Group
from lgn.nn.bank import OrbitBank, require_choice
from lgn.nn.kernels.adjoint import CORRELATE
from lgn.nn.plain_layers import plain_layer

Bias = bool | Literal["set"]
PaddingMode = Literal["zeros", "reflect", "replicate", "circular"]


@torch.fx.wrap
def _filters_for(bank: nn.Module, _: Tensor) -> Tensor:
    """The filters of a bank, as one step of a `torch.fx` graph; without the input, fx would compute them once."""
    return bank()


class GroupLayer(nn.Module, ABC):
    """The base of all layers: a bank of orbits, and a bias per set, per filter, or none."""

    plain: ClassVar[type[nn.Module]]  # the layer of torch

    def __init__(self, orbits: OrbitBank, bias: Bias) -> None:
        super().__init__()
        if bias not in (True, False, "set"):
            raise ValueError(f"bias must be True, False or 'set', got {bias!r}")
        self.bank = self._make_bank(orbits)
        self.num_sets, self.order, self.group = orbits.num_sets, orbits.order, orbits.group
        count = self.num_sets if bias == "set" else self.num_sets * self.order
        self.bias_per_set = bias == "set"
        if bias:
            bound = 1 / math.sqrt(orbits.basis[0].numel())
            self.bias = nn.Parameter(torch.empty(count).to(orbits.basis.detach()).uniform_(-bound, bound))
        else:
            self.register_parameter("bias", None)

    @abstractmethod
    def filters(self) -> Tensor:
        """The filters, set-major.  (sets * order, ...)"""

    def merged(self) -> nn.Module:
        """The plain layer with the same filters."""
        return plain_layer(self.plain, self, self.filters(), self._bias_per_filter())

    def _make_bank(self, orbits: OrbitBank) -> nn.Module:
        """The module that computes the filters of this layer from orbits."""
        return orbits

    @property
    def orbits(self) -> OrbitBank:
        """The orbits that the filters of this layer are computed from."""
        return next(module for module in self.bank.modules() if isinstance(module, OrbitBank))

    def _filters_for(self, x: Tensor) -> Tensor:
        return _filters_for(self.bank, x)

    def _bias_per_filter(self) -> Tensor | None:
        """One number per filter.  (sets * order,)"""
        if not self.bias_per_set:
            return self.bias
        return self.bias.repeat_interleave(self.order)

    def extra_repr(self) -> str:
        return "bias per filter, which is not equivariant" if self.bias is not None and not self.bias_per_set else ""

    def __prepare_scriptable__(self) -> "GroupLayer":
        """Called by `torch.jit.script`."""
        raise TypeError(
            f"torch.jit.script must be given a plain network, got {type(self).__name__}: use lgn.merge(model)"
        )


class BaseGroupConv(GroupLayer):
    """The base of all convolutions: a bank on the patch of a kernel."""

    axes: ClassVar[int]

    def __init__(
        self,
        in_channels: int,
        num_sets: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] | str = 0,
        dilation: int | tuple[int, ...] = 1,
        bias: Bias = "set",
        padding_mode: PaddingMode = "zeros",
        *,
        group: Group | str | int = 4,
        generator: Family = "dense",
        share: Share = "set",
        start: Start = "orthogonal",
        channel_generator: Family | None = None,
        channel_start: Start = "orthogonal",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        patch, strides = self._per_axis("kernel_size", kernel_size), self._per_axis("stride", stride)
        require_choice("padding_mode", padding_mode, get_args(PaddingMode))
        if isinstance(padding, str) and padding not in ("same", "valid"):
            raise ValueError(f"padding must be numbers, 'same' or 'valid', got {padding!r}")
        if padding == "same" and max(strides) > 1:
            raise ValueError(f"stride must be 1 for padding='same', got {stride}")
        orbits = OrbitBank(
            in_channels,
            num_sets,
            patch,
            group=group,
            generator=generator,
            share=share,
            start=start,
            channel_generator=channel_generator,
            channel_start=channel_start,
            device=device,
            dtype=dtype,
        )
        super().__init__(orbits, bias)
        self.in_channels, self.out_channels, self.kernel_size = in_channels, num_sets * self.order, patch
        self.stride, self.dilation, self.padding_mode = strides, self._per_axis("dilation", dilation), padding_mode
        self.padding = padding if isinstance(padding, str) else self._per_axis("padding", padding)

    def filters(self) -> Tensor:
        """The filters, set-major.  (sets * order, channels, n, m)"""
        return self.bank()

    @classmethod
    def _per_axis(cls, name: str, value: int | tuple[int, ...]) -> tuple[int, ...]:
        """The value of an argument for every axis."""
        values = (value,) * cls.axes if isinstance(value, int) else tuple(value)
        if len(values) != cls.axes:
            raise ValueError(f"{name} must be one number or {cls.axes} numbers for {cls.__name__}, got {value}")
        return values


class GroupConv(BaseGroupConv):
    """A convolution whose filters are orbits, for signals, images and volumes."""

    def forward(self, x: Tensor) -> Tensor:
        eager = not (torch.compiler.is_compiling() or isinstance(x, torch.fx.Proxy))
        if eager:
            self._require_size(x)
        padding = self.padding
        if self.padding_mode != "zeros":
            margins = [margin for pair in reversed(self._margins()) for margin in pair]  # F.pad begins at the last axis
            x, padding = F.pad(x, margins, mode=self.padding_mode), (0,) * self.axes
        convolve = CORRELATE[self.axes]
        return convolve(x, self._filters_for(x), self._bias_per_filter(), self.stride, padding, self.dilation)

    def _margins(self) -> list[tuple[int, int]]:
        """The numbers of pixels added before and after the input, for every axis."""
        if self.padding == "valid":
            return [(0, 0)] * self.axes
        if isinstance(self.padding, str):
            totals = [d * (n - 1) for d, n in zip(self.dilation, self.kernel_size, strict=True)]
            return [(total // 2, total - total // 2) for total in totals]
        return [(margin, margin) for margin in self.padding]

    def _require_size(self, x: Tensor) -> None:
        """Raise if the padded input is smaller than the kernel."""
        sizes = zip(x.shape[x.ndim - self.axes :], self._margins(), strict=True)
        padded = tuple(size + before + after for size, (before, after) in sizes)
        least = tuple(d * (n - 1) + 1 for d, n in zip(self.dilation, self.kernel_size, strict=True))
        if any(size < smallest for size, smallest in zip(padded, least, strict=True)):
            raise ValueError(f"x must be at least {size_text(least)} after padding, got {size_text(padded)}")


class GroupConv2d(GroupConv):
    """A convolution whose filters are `num_sets` orbits of a finite group (eq. 11).

    The first arguments are those of `nn.Conv2d`, with `num_sets` in place of the output channels.

    group: a `lgn.groups.Group`, its name, such as "D4", or an int, the cyclic group of that order.
    generator: a family by name, a class, or a module that several layers share. A group with k generators has k
    matrices per set.
    share: which filters have a matrix in common, see `lgn.generators.leading_shape`.
    start: how the matrices begin; a list of matrices, one per generator of the group, for a known action.
    channel_generator: a family; the group then acts on the channels too, by `B (x) A`, and B begins at `channel_start`.
    bias: "set" shares the bias within a set; True has one number per filter, so that the layer is not equivariant.

    Shapes: (N, in_channels, H, W) -> (N, num_sets * order, H', W'); `out.unflatten(1, (num_sets, order))` gives the
    sets.
    """

    axes, plain = 2, nn.Conv2d


class GroupConv1d(GroupConv):
    """`GroupConv2d` for signals.  (N, in_channels, T) -> (N, num_sets * order, T')"""

    axes, plain = 1, nn.Conv1d


class GroupConv3d(GroupConv):
    """`GroupConv2d` for volumes.  (N, in_channels, D, H, W) -> (N, num_sets * order, D', H', W')"""

    axes, plain = 3, nn.Conv3d
