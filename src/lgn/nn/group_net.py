"""`GroupNet`: a small classifier of images that is equivariant to a group of symmetries."""

from collections.abc import Sequence
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.generators import Family, Share, Start
from lgn.groups import Group
from lgn.nn.bank import require_positive
from lgn.nn.class_head import ClassHead
from lgn.nn.gates import Gates
from lgn.nn.image_action import image_action
from lgn.nn.net_layers import HALVED, NetLayer, fitting_widths
from lgn.nn.sets import SetBatchNorm2d, pool_sets


class GroupNet(nn.Module):
    """A lifting layer, layers on sets, the largest response of every set, the mean over the image, and a linear head.

    Every layer is a convolution, a normalisation of sets and ReLU; images are halved after the first two. The output is
    invariant to the group: exactly for quarter turns and flips, for any image size, and approximately for other turns
    (`lgn.equivariance_table` measures it).

    group: turns and flips, such as "C8" or "D4", or any `Group` with an `action`; an int is the cyclic
    group of that order. None has free filters, as a control.
    action: how the group acts on images, if it is not by turns and the flip of columns: a name from `lgn.transforms`
    per generator of the group, such as ["turn 180", "flip rows"], or their matrices on the kernel, (generators, d, d).
    classes: the class that every class becomes under every generator, (generators, num_classes), if the group permutes
    the classes. The output is then equivariant: a `ClassHead` takes the place of the maximum and the linear head.
    parameters: the largest number of parameters; the network has as many sets as fit.
    generator: "fixed" is the given action; another family, such as "dense", learns its own, with `share` and `start` as
    in `GroupConv2d`. With share "network" all layers share it; start "group" begins at the given action.
    gates: learn which elements of the group to be invariant to, with `gated_loss`; see `Gates`.

    Shapes: (N, in_channels, H, W) -> (N, num_classes)
    """

    def __init__(
        self,
        in_channels: int,
        num_classes: int,
        *,
        group: Group | str | int | None = 4,
        action: Tensor | Sequence[str] | None = None,
        classes: Tensor | None = None,
        parameters: int = 25_000,
        num_layers: int = 5,
        kernel_size: int = 5,
        dropout: float = 0.0,
        generator: Family = "fixed",
        share: Share = "set",
        start: Start | Literal["group"] = "orthogonal",
        gates: bool = False,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        require_positive(in_channels=in_channels, parameters=parameters, num_layers=num_layers, kernel_size=kernel_size)
        if num_classes < 2:
            raise ValueError(f"num_classes must be at least 2, got {num_classes}")
        if kernel_size % 2 == 0:
            raise ValueError(f"kernel_size must be odd, so that layers preserve the size of images, got {kernel_size}")
        if not 0 <= dropout < 1:
            raise ValueError(f"dropout must be at least 0 and below 1, got {dropout}")
        if group is None and (action is not None or classes is not None or gates):
            raise ValueError("group must be given with action, classes or gates, got None")
        if classes is not None and classes.shape[-1] != num_classes:
            raise ValueError(f"classes must have {num_classes} columns, got shape {tuple(classes.shape)}")
        if classes is not None and gates:
            raise ValueError("gates must be False if the group permutes the classes, got True")
        factory: dict[str, Any] = {"device": device, "dtype": dtype}
        acting = None if group is None else image_action(group, kernel_size, action)
        self.group = None if acting is None else acting.group
        self.order = 1 if acting is None else acting.group.order
        self.dropout, self.kernel_size = dropout, kernel_size
        layer = NetLayer(acting, kernel_size, generator, share, start, factory)
        self.widths = fitting_widths(layer, in_channels, num_classes, num_layers, parameters)
        self.convolutions, self.norms = nn.ModuleList(), nn.ModuleList()
        for number, (before, after) in enumerate(zip((in_channels, *self.widths), self.widths, strict=False)):
            # The last layer has no padding, so that its codes depend on the image only, not on the margin.
            last = number == num_layers - 1 > 0
            self.convolutions.append(layer.make(before, after, number == 0, 0 if last else kernel_size // 2))
            self.norms.append(SetBatchNorm2d(after, group=self.order, **factory))
        self.head: nn.Linear | ClassHead
        if classes is not None and self.group is not None:
            self.head = ClassHead(self.widths[-1], classes, group=self.group, **factory)
        else:
            self.head = nn.Linear(self.widths[-1], num_classes, **factory)
        self.gates = Gates(self.group, **factory) if gates and self.group is not None else None

    def forward(self, images: Tensor) -> Tensor:
        codes = self.codes(images)
        if self.gates is not None:
            codes = self.gates.pooled(codes)
        elif not isinstance(self.head, ClassHead):
            codes = pool_sets(codes, group=self.order)
        return self.head(codes.mean((-2, -1)))

    def gated_loss(self, images: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        """The expected cross entropy, summed over the images, and the outputs for open gates, for training with gates.

        See Note [Gates] in `lgn.nn.gates`.  -> (), (N, classes)
        """
        if self.gates is None:
            raise ValueError("gates must be True for gated_loss, got a network without gates")
        codes = self.codes(images)
        outputs = self.head(self.gates(codes).mean((-2, -1)))  # (ranges, N, classes)
        repeated = labels.expand(len(outputs), -1).flatten()
        losses = F.cross_entropy(outputs.flatten(0, 1), repeated, reduction="none")
        opened = self.head(self.gates.pooled(codes.detach()).mean((-2, -1)))
        return self.gates.expected(losses.view(len(outputs), -1)).sum(), opened.detach()

    def codes(self, images: Tensor) -> Tensor:
        """The output of the last layer, in sets, not negative.  (N, in_channels, H, W) -> (N, sets * order, H', W')"""
        codes = images
        for number, (convolution, norm) in enumerate(zip(self.convolutions, self.norms, strict=True)):
            last = number == len(self.norms) - 1
            if last:
                # Equal margins at opposite sides, so that the last kernel fits.
                margins = [-(-max(self.kernel_size - size, 0) // 2) for size in (codes.shape[-1], codes.shape[-2])]
                codes = F.pad(codes, [margin for margin in margins for _ in range(2)]) if any(margins) else codes
            codes = convolution(codes)
            if number < HALVED:
                codes = halve(codes)
            # Dropout before gates would open them: a maximum over more elements suffers less from it.
            dropout = 0.0 if self.gates is not None and last else self.dropout
            codes = F.dropout(F.relu(norm(codes)), dropout, self.training)
        return codes

    def extra_repr(self) -> str:
        name = "free filters" if self.group is None else f"sets of {self.group.name}"
        return f"{len(self.widths)} layers of {', '.join(map(str, self.widths))} {name}"


def halve(codes: Tensor) -> Tensor:
    """Max pooling with stride 2 that commutes with turns and flips: over 2 pixels for an even side, 3 for an odd one.

    Shapes: (N, C, H, W) -> (N, C, ~H/2, ~W/2)
    """
    odd = [side % 2 for side in codes.shape[-2:]]
    return F.max_pool2d(codes, [2 + margin for margin in odd], 2, odd)
