"""`GroupConvTranspose1d`, `2d` and `3d`: transposed convolutions whose filters are orbits."""

from typing import Any

from torch import Tensor, nn

from lgn.nn.kernels.adjoint import SYNTHESISE
from lgn.nn.layers import BaseGroupConv, Bias


class GroupConvTranspose(BaseGroupConv):
    """A transposed convolution whose filters are orbits: output g of a set uses `rho(g)` of the filter of output e.

    The first arguments are those of `nn.ConvTranspose2d`, the keyword arguments those of `GroupConv2d`.
    """

    def __init__(
        self,
        in_channels: int,
        num_sets: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] = 0,
        output_padding: int | tuple[int, ...] = 0,
        bias: Bias = "set",
        dilation: int | tuple[int, ...] = 1,
        **group_options: Any,
    ) -> None:
        super().__init__(
            in_channels, num_sets, kernel_size, stride=stride, dilation=dilation, bias=bias, **group_options
        )
        self.padding: tuple[int, ...] = self._per_axis("padding", padding)
        self.output_padding = self._per_axis("output_padding", output_padding)

    def forward(self, x: Tensor) -> Tensor:
        filters = self._filters_for(x).transpose(0, 1)  # transposed convolutions have the inputs first
        convolve, bias = SYNTHESISE[self.axes], self._bias_per_filter()
        return convolve(x, filters, bias, self.stride, self.padding, self.output_padding, 1, self.dilation)


class GroupConvTranspose1d(GroupConvTranspose):
    """See `GroupConvTranspose`.  (N, in_channels, T) -> (N, num_sets * order, T')"""

    axes, plain = 1, nn.ConvTranspose1d


class GroupConvTranspose2d(GroupConvTranspose):
    """See `GroupConvTranspose`.  (N, in_channels, H, W) -> (N, num_sets * order, H', W')"""

    axes, plain = 2, nn.ConvTranspose2d


class GroupConvTranspose3d(GroupConvTranspose):
    """See `GroupConvTranspose`.  (N, in_channels, D, H, W) -> (N, num_sets * order, D', H', W')"""

    axes, plain = 3, nn.ConvTranspose3d
