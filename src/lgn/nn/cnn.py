"""A plain convolutional network of group layers: the encoder that is not unfolded."""

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.generators import Family, Share, Start
from lgn.groups import Group, chosen_group
from lgn.nn.bank import require_positive
from lgn.nn.layers import GroupConv2d

SMALLEST = 4  # pixels a side that pooling leaves to the last layer's output, for the head to average


class GroupCNN(nn.Module):
    """`num_layers` times `GroupConv2d`, batch normalisation and ReLU, halved by max pooling between layers.

    A layer's output is halved where the layers that follow still leave 4x4 features of it: with large kernels and
    little padding, layers shrink the image on their own. `order`, 4 unless a `group` is given, is short for a cyclic
    one. `generator="free"` gives the control without a group.

    Shapes: (N, in_channels, H, W) -> (N, num_sets * order, H', W')
    """

    def __init__(
        self,
        in_channels: int,
        num_layers: int = 4,
        num_sets: int = 5,
        order: int | None = None,
        kernel_size: int = 6,
        *,
        padding: int | Literal["same"] = 1,
        group: Group | str | None = None,
        generator: Family = "dense",
        share: Share = "set",
        start: Start = "orthogonal",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        require_positive(num_layers=num_layers)
        self.group = chosen_group(order, group, default=4)
        self.num_layers, self.num_sets, self.order = num_layers, num_sets, self.group.order
        self.shrinking = 0 if padding == "same" else kernel_size - 1 - 2 * padding
        filters = num_sets * self.order
        self.convolutions, self.norms = nn.ModuleList(), nn.ModuleList()
        for number in range(num_layers):
            channels = in_channels if number == 0 else filters
            layer: nn.Module
            if generator == "free":
                layer = nn.Conv2d(
                    channels, filters, kernel_size, padding=padding, bias=False, device=device, dtype=dtype
                )
            else:
                layer = GroupConv2d(
                    channels, num_sets, None, kernel_size, padding=padding, bias=False, group=self.group,
                    generator=generator, share=share, start=start, device=device, dtype=dtype,
                )  # fmt: skip
                if share == "network":
                    generator = layer.bank.generator
            self.convolutions.append(layer)
            self.norms.append(nn.BatchNorm2d(filters, device=device, dtype=dtype))

    def forward(self, x: Tensor) -> Tensor:
        for number, (convolution, norm) in enumerate(zip(self.convolutions, self.norms, strict=True), 1):
            x = F.relu(norm(convolution(x)))
            following = self.num_layers - number
            if following and min(x.shape[-2:]) // 2 - following * self.shrinking >= SMALLEST:
                x = F.max_pool2d(x, 2)
        return x

    def extra_repr(self) -> str:
        return f"{self.num_layers} layers of {self.num_sets} sets of {self.order} filters"
