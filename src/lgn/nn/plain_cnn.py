"""A plain convolutional network of group layers: the encoder that is not unfolded (the paper's "any architecture")."""

from typing import Literal

from torch import Tensor, nn
from torch.nn import functional as F

from lgn.generators import Family, Share, Start
from lgn.groups import Group
from lgn.nn.bank import layer_group, require_positive
from lgn.nn.layers import GroupConv2d

SMALLEST = 4  # pixels a side that pooling leaves to the last layer's output, for the head to average


class PlainCNN(nn.Module):
    """`num_layers` times `GroupConv2d`, batch normalisation and ReLU, halved by max pooling between layers.

    A layer's output is halved where the layers that follow still leave 4x4 features of it: with large kernels and
    little padding, layers shrink the image on their own.

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
        self.group = layer_group(group)
        self.num_sets, self.order = num_sets, self.group.order
        self.shrinking = 0 if padding == "same" else kernel_size - 1 - 2 * padding
        filters = num_sets * self.order
        self.convolutions, self.norms = nn.ModuleList(), nn.ModuleList()
        for channels in (in_channels, *[filters] * (num_layers - 1)):
            layer = GroupConv2d(
                channels, num_sets, kernel_size, padding=padding, bias=False, group=self.group,
                generator=generator, share=share, start=start,
            )  # fmt: skip
            if share == "network":
                generator = layer.bank.generator
            self.convolutions.append(layer)
            self.norms.append(nn.BatchNorm2d(filters))

    def forward(self, x: Tensor) -> Tensor:
        following = len(self.convolutions)
        for convolution, norm in zip(self.convolutions, self.norms, strict=True):
            following -= 1
            x = F.relu(norm(convolution(x)))
            if following and min(x.shape[-2:]) // 2 - following * self.shrinking >= SMALLEST:
                x = F.max_pool2d(x, 2)
        return x

    def pooled(self, x: Tensor, cells: int) -> Tensor:
        """The output, averaged over a grid of `cells x cells`."""
        return F.adaptive_avg_pool2d(self(x), cells)

    def extra_repr(self) -> str:
        return f"{len(self.convolutions)} layers of {self.num_sets} sets of {self.order} filters"
