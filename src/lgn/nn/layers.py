"""`GroupConv1d`, `GroupConv2d` and `GroupConv3d`: torch's convolutions with filters that are orbits."""

import math
from abc import ABC, abstractmethod
from typing import ClassVar, Literal, get_args

import torch
import torch.fx
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.modules.conv import _ConvNd

from lgn.actions import size_text
from lgn.generators import Family, Share, Start
from lgn.groups import Group
from lgn.nn.bank import OrbitBank
from lgn.nn.plain import plain_convolution

Bias = bool | Literal["set"]
PaddingMode = Literal["zeros", "reflect", "replicate", "circular"]
CONVOLUTIONS = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}


@torch.fx.wrap
def _filters_for(bank: nn.Module, _: Tensor) -> Tensor:
    """The filters of a bank: one step to `torch.fx`, which sees the image and does not look inside."""
    return bank()


class GroupLayer(nn.Module, ABC):
    """What all layers share: a bank, and a bias per filter or per set."""

    def __init__(self, bank: OrbitBank, bias: Bias) -> None:
        super().__init__()
        if bias not in (True, False, "set"):
            raise ValueError(f"bias must be True, False or 'set', got {bias!r}")
        self.bank = bank
        self.num_sets, self.order, self.group = bank.num_sets, bank.order, bank.group
        count = bank.num_sets if bias == "set" else bank.num_sets * bank.order
        self.bias_per_set = bias == "set"
        if bias:
            bound = 1 / math.sqrt(bank.basis[0].numel())
            self.bias = nn.Parameter(torch.empty(count).to(bank.basis.detach()).uniform_(-bound, bound))
        else:
            self.register_parameter("bias", None)

    @abstractmethod
    def merged(self) -> nn.Module:
        """The plain layer with the same filters."""

    def _filters_for(self, x: Tensor) -> Tensor:
        return _filters_for(self.bank, x)

    def _bias(self) -> Tensor | None:
        """One number per filter.  (sets * order,)"""
        if not self.bias_per_set:
            return self.bias
        return self.bias.repeat_interleave(self.order)

    def __prepare_scriptable__(self) -> "GroupLayer":
        """Called by `torch.jit.script`."""
        raise TypeError(
            f"torch.jit.script must be given a plain network, got {type(self).__name__}: use lgn.merge(model)"
        )


class _GroupConvNd(GroupLayer):
    """What all convolutions share: a bank on the patch of a kernel with some number of axes."""

    axes: ClassVar[int]
    plain: ClassVar[type[_ConvNd]]  # torch's own

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
        patch, strides = self._each("kernel_size", kernel_size), self._each("stride", stride)
        if padding_mode not in get_args(PaddingMode):
            raise ValueError(f"padding_mode must be one of {', '.join(get_args(PaddingMode))}, got {padding_mode!r}")
        if isinstance(padding, str) and padding not in ("same", "valid"):
            raise ValueError(f"padding must be numbers, 'same' or 'valid', got {padding!r}")
        if padding == "same" and max(strides) > 1:
            raise ValueError(f"stride must be 1 for padding='same', got {stride}")
        super().__init__(
            OrbitBank(
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
            ),
            bias,
        )
        self.in_channels, self.out_channels, self.kernel_size = in_channels, num_sets * self.order, patch
        self.stride, self.dilation, self.padding_mode = strides, self._each("dilation", dilation), padding_mode
        self.padding = padding if isinstance(padding, str) else self._each("padding", padding)

    def filters(self) -> Tensor:
        """The bank, set-major.  (sets * order, channels, n, m)"""
        return self.bank()

    @classmethod
    def _each(cls, name: str, value: int | tuple[int, ...]) -> tuple[int, ...]:
        """A number for each axis."""
        each = (value,) * cls.axes if isinstance(value, int) else tuple(value)
        if len(each) != cls.axes:
            raise ValueError(f"{name} must be a number or {cls.axes} of them for {cls.__name__}, got {value}")
        return each


class GroupConv(_GroupConvNd):
    """A convolution whose filters are orbits: the one implementation for signals, images and volumes."""

    def forward(self, x: Tensor) -> Tensor:
        eager = not (torch.compiler.is_compiling() or isinstance(x, torch.fx.Proxy))
        if eager:
            self._require_room(x)
        padding = self.padding
        if self.padding_mode != "zeros":
            x, padding = F.pad(x, self._margins(), mode=self.padding_mode), (0,) * self.axes
        convolve = CONVOLUTIONS[self.axes]
        return convolve(x, self._filters_for(x), self._bias(), self.stride, padding, self.dilation)

    def merged(self) -> _ConvNd:
        """The plain convolution with the same filters."""
        return plain_convolution(self.plain, self, self.filters(), self._bias())

    def _margins(self) -> list[int]:
        """Pixels to add before and after, the last axis first: at the left, right, top and bottom."""
        if self.padding == "valid":
            return [0, 0] * self.axes
        margins = []
        for axis in reversed(range(self.axes)):
            if isinstance(self.padding, str):
                total = self.dilation[axis] * (self.kernel_size[axis] - 1)
                margins += [total // 2, total - total // 2]
            else:
                margins += [self.padding[axis]] * 2
        return margins

    def _require_room(self, x: Tensor) -> None:
        """Refuse what is smaller than the kernel."""
        margins = self._margins()[::-1]
        for axis, size in enumerate(x.shape[x.ndim - self.axes :]):
            if size + margins[2 * axis] + margins[2 * axis + 1] <= self.dilation[axis] * (self.kernel_size[axis] - 1):
                kernel, given = size_text(self.kernel_size), size_text(tuple(x.shape[x.ndim - self.axes :]))
                raise ValueError(f"x must not be smaller than the kernel of {kernel} where it is padded, got {given}")


class GroupConv2d(GroupConv):
    """A convolution whose filters are `num_sets` orbits of a finite group (eq. 11).

    `group` is a `lgn.groups.Group`, its name, such as "D4", or an int, the cyclic group of that order. There is
    a generator for each of the group's; `start` then takes a list of one matrix for each. `generator` is a family by
    name, a class, or a module that several layers share; `share` says who has a matrix of their own.
    `channel_generator` lets the group act on the channels too, by `B (x) A`: a family, and `channel_start`, for B. The
    other arguments are those of `nn.Conv2d`; `bias="set"` shares the bias within a set.

    Shapes: (N, in_channels, H, W) -> (N, num_sets * order, H', W'); `out.unflatten(1, (num_sets, order))` gives the
    sets.
    """

    axes, plain = 2, nn.Conv2d


class GroupConv1d(GroupConv):
    """The same for signals; see `GroupConv2d`.  (N, in_channels, T) -> (N, num_sets * order, T')"""

    axes, plain = 1, nn.Conv1d


class GroupConv3d(GroupConv):
    """The same for volumes; see `GroupConv2d`.  (N, in_channels, D, H, W) -> (N, num_sets * order, D', H', W')"""

    axes, plain = 3, nn.Conv3d
