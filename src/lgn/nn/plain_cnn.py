"""A convolutional network of group layers, for the paper's claim that group layers suit any architecture."""

from typing import Literal

from torch import Tensor, nn
from torch.nn import functional as F

from lgn.generators import Family, Share, Start
from lgn.groups import Group
from lgn.nn.bank import group_of_layer, require_positive
from lgn.nn.layers import GroupConv2d

SMALLEST = 4  # the least side, in pixels, of the last layer's output that pooling may leave


class PlainCNN(nn.Module):
    """`num_layers` times `GroupConv2d`, batch normalisation and ReLU, with max pooling between layers.

    Pooling follows a layer only if the output of the last layer stays at least 4x4: large kernels with little padding
    shrink the image themselves.

    Shapes: (N, in_channels, H, W) -> (N, num_sets * order, H', W')
    """

    def __init__(
        self,
        in_channels: int,
        num_sets: int = 5,
        kernel_size: int = 6,
        num_layers: int = 4,
        *,
        group: Group | str | int = 4,
        padding: int | Literal["same"] = 1,
        generator: Family = "dense",
        share: Share = "set",
        start: Start = "orthogonal",
    ) -> None:
        super().__init__()
        require_positive(num_layers=num_layers)
        self.group = group_of_layer(group)
        self.num_sets, self.order = num_sets, self.group.order
        self.shrinkage = 0 if padding == "same" else kernel_size - 1 - 2 * padding  # pixels that a layer takes
        filters = num_sets * self.order
        self.convolutions, self.norms = nn.ModuleList(), nn.ModuleList()
        for channels in (in_channels, *[filters] * (num_layers - 1)):
            layer = GroupConv2d(
                channels,
                num_sets,
                kernel_size,
                padding=padding,
                bias=False,
                group=self.group,
                generator=generator,
                share=share,
                start=start,
            )
            if share == "network":
                generator = layer.orbits.generator
            self.convolutions.append(layer)
            self.norms.append(nn.BatchNorm2d(filters))

    def forward(self, x: Tensor) -> Tensor:
        remaining = len(self.convolutions)
        for convolution, norm in zip(self.convolutions, self.norms, strict=True):
            remaining -= 1
            x = F.relu(norm(convolution(x)))
            if remaining and min(x.shape[-2:]) // 2 - remaining * self.shrinkage >= SMALLEST:
                x = F.max_pool2d(x, 2)
        return x

    def pooled(self, x: Tensor, cells: int) -> Tensor:
        """The output averaged over a grid of `cells x cells`."""
        return F.adaptive_avg_pool2d(self(x), cells)

    def extra_repr(self) -> str:
        return f"{len(self.convolutions)} layers of {self.num_sets} sets of {self.order} filters"
