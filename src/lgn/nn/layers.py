"""`GroupConv2d` and `GroupLinear`: torch's layers with filters that are orbits."""

import math
from typing import Literal, get_args

import torch
import torch.fx
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.generators import Family, Share, Start
from lgn.groups import Group, chosen_group
from lgn.nn.bank import OrbitBank

Bias = bool | Literal["set"]
PaddingMode = Literal["zeros", "reflect", "replicate", "circular"]


@torch.fx.wrap
def _filters_for(bank: nn.Module, _: Tensor) -> Tensor:
    """The filters of a bank: one step to `torch.fx`, which sees the image and does not look inside."""
    return bank()


class _GroupLayer(nn.Module):
    """What both layers share: a bank, and a bias per filter or per set."""

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

    def _bias(self) -> Tensor | None:
        """One number per filter.  (sets * order,)"""
        if not self.bias_per_set:
            return self.bias
        return self.bias.repeat_interleave(self.order)

    def __prepare_scriptable__(self) -> "_GroupLayer":
        """Called by `torch.jit.script`."""
        raise TypeError(
            f"torch.jit.script must be given a plain network, got {type(self).__name__}: use lgn.merge(model)"
        )


class GroupConv2d(_GroupLayer):
    """A convolution whose filters are `num_sets` orbits of a finite group (eq. 11).

    `group` is a `lgn.groups.Group` or its name, such as "dihedral:4"; `order` alone stands for the cyclic one. There is
    a generator for each of the group's; `start` then takes a list of one matrix for each. `generator` is a family by
    name, a class, or a module that several layers share; `share` says who has a matrix of their own.
    `channel_generator` lets the group act on the channels too, by `B (x) A`: a family, and `channel_start`, for B. The
    other arguments are those of `nn.Conv2d`; `bias="set"` shares the bias within a set.

    Shapes: (N, in_channels, H, W) -> (N, num_sets * order, H', W'); `out.unflatten(1, (num_sets, order))` gives the
    sets.
    """

    def __init__(
        self,
        in_channels: int,
        num_sets: int,
        order: int | None = None,
        kernel_size: int | tuple[int, int] | None = None,
        stride: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] | str = 0,
        dilation: int | tuple[int, ...] = 1,
        bias: Bias = True,
        padding_mode: PaddingMode = "zeros",
        *,
        group: Group | str | None = None,
        generator: Family = "dense",
        share: Share = "set",
        start: Start = "orthogonal",
        channel_generator: Family | None = None,
        channel_start: Start = "orthogonal",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        chosen = chosen_group(order, group)
        if kernel_size is None:
            raise ValueError("kernel_size must be given, got none")
        patch = _pair(kernel_size)
        if padding_mode not in get_args(PaddingMode):
            raise ValueError(f"padding_mode must be one of {', '.join(get_args(PaddingMode))}, got {padding_mode!r}")
        if isinstance(padding, str) and padding not in ("same", "valid"):
            raise ValueError(f"padding must be numbers, 'same' or 'valid', got {padding!r}")
        if padding == "same" and _pair(stride) != (1, 1):
            raise ValueError(f"stride must be 1 for padding='same', got {stride}")
        super().__init__(
            OrbitBank(
                in_channels,
                num_sets,
                chosen,
                patch,
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
        self.in_channels, self.out_channels, self.kernel_size = in_channels, num_sets * chosen.order, patch
        self.stride, self.dilation, self.padding_mode = _pair(stride), _pair(dilation), padding_mode
        self.padding = padding if isinstance(padding, str) else _pair(padding)

    def filters(self) -> Tensor:
        """The bank, set-major.  (sets * order, channels, n, m)"""
        return self.bank()

    def forward(self, x: Tensor) -> Tensor:
        padding = self.padding
        if self.padding_mode != "zeros":
            x, padding = F.pad(x, self._margins(), mode=self.padding_mode), (0, 0)
        return F.conv2d(x, _filters_for(self.bank, x), self._bias(), self.stride, padding, self.dilation)

    def _margins(self) -> list[int]:
        """Pixels to add at the left, right, top and bottom."""
        if self.padding == "valid":
            return [0, 0, 0, 0]
        margins = []
        for axis in (1, 0):
            if isinstance(self.padding, str):
                total = self.dilation[axis] * (self.kernel_size[axis] - 1)
                margins += [total // 2, total - total // 2]
            else:
                margins += [self.padding[axis]] * 2
        return margins

    def merged(self) -> nn.Conv2d:
        """The plain convolution with the same filters."""
        with torch.no_grad():
            filters, bias = self.filters(), self._bias()
            plain = nn.utils.skip_init(  # so that merging draws no random numbers
                nn.Conv2d,
                self.in_channels,
                self.out_channels,
                self.kernel_size,
                self.stride,
                self.padding,
                self.dilation,
                bias=bias is not None,
                padding_mode=self.padding_mode,
                device=filters.device,
                dtype=filters.dtype,
            )
            plain.weight.copy_(filters)
            if plain.bias is not None and bias is not None:
                plain.bias.copy_(bias)
        return plain.train(self.training)


class GroupLinear(_GroupLayer):
    """A linear layer whose rows are orbits: the generator acts on `in_features` numbers.

    A dense generator has `in_features^2` entries; families with fewer are the usual choice here.

    Shapes: (..., in_features) -> (..., num_sets * order)
    """

    def __init__(
        self,
        in_features: int,
        num_sets: int,
        order: int | None = None,
        bias: Bias = True,
        *,
        group: Group | str | None = None,
        generator: Family = "dense",
        share: Share = "set",
        start: Start = "orthogonal",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        chosen = chosen_group(order, group)
        bank = OrbitBank(
            1,
            num_sets,
            chosen,
            (in_features, 1),
            generator=generator,
            share=share,
            start=start,
            device=device,
            dtype=dtype,
        )
        super().__init__(bank, bias)
        self.in_features, self.out_features = in_features, num_sets * chosen.order

    def filters(self) -> Tensor:
        """The rows, set-major.  (sets * order, in_features)"""
        return self.bank().flatten(1)

    def forward(self, x: Tensor) -> Tensor:
        return F.linear(x, _filters_for(self.bank, x).flatten(1), self._bias())

    def merged(self) -> nn.Linear:
        """The plain linear layer with the same rows."""
        with torch.no_grad():
            filters, bias = self.filters(), self._bias()
            like = {"device": filters.device, "dtype": filters.dtype}
            plain = nn.utils.skip_init(nn.Linear, self.in_features, self.out_features, bias is not None, **like)
            plain.weight.copy_(filters)
            if bias is not None:
                plain.bias.copy_(bias)
        return plain.train(self.training)


def _pair(value: int | tuple[int, ...]) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else (value[0], value[1])
