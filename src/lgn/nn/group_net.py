"""`GroupNet`: a small network for classification whose layers keep a group of symmetries of images."""

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.generators import Family, Share, Start
from lgn.groups import Group, as_group
from lgn.nn.bank import require_positive
from lgn.nn.gates import Gates
from lgn.nn.group_stack import SetBatchNorm2d, pool_sets
from lgn.nn.image_action import Found, ImageAction, found_action, image_action
from lgn.nn.net_layers import HALVED, NetLayer, fitting_widths


class GroupNet(nn.Module):
    """A lifting layer, layers on sets, the largest response over each set, the mean over the image, a linear head.

    Every layer is a convolution, normalisation of sets and ReLU; images are halved after the first two. Turns and flips
    by quarters go through all of it exactly, whatever the size of the images; turns between them nearly
    (`invariance_error`). So its answers do not change when an image is moved by an element of the group.

    group: "C8", "D4" and the like, turns and the flip of columns; None is the same network with free
    filters, the control. found: what `lgn.symmetries` found, instead. parameters: the most that the network may have;
    as many sets as fit. generator: "fixed" is the known action of the group; another family, "dense", learns its own,
    with `share` and `start` as in `GroupConv2d`; share "network" has one for all layers, and start "group" begins with
    the known action. gates: learn which elements of the group to keep, see `Gates`, by `gated_loss`.

    Shapes: (N, in_channels, H, W) -> (N, num_classes)
    """

    def __init__(
        self,
        in_channels: int,
        num_classes: int,
        *,
        group: Group | str | int | None = None,
        parameters: int = 25_000,
        found: Found | None = None,
        operators: Tensor | None = None,
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
            raise ValueError(f"kernel_size must be odd, so that layers keep the size of images, got {kernel_size}")
        if not 0 <= dropout < 1:
            raise ValueError(f"dropout must be a share from 0 to below 1, got {dropout}")
        action = _action(group, found, operators, kernel_size)
        self.group = None if action is None else action.group
        self.order = 1 if action is None else action.group.order
        self.dropout, self.kernel_size = dropout, kernel_size
        layer = NetLayer(action, kernel_size, generator, share, start, {"device": device, "dtype": dtype})
        self.widths = fitting_widths(layer, in_channels, num_classes, num_layers, parameters)
        self.convolutions, self.norms = nn.ModuleList(), nn.ModuleList()
        for number, (before, after) in enumerate(zip((in_channels, *self.widths), self.widths, strict=False)):
            # The last layer sees whole neighbourhoods alone: what it says is about the image, and not its margin.
            last = number == num_layers - 1 > 0
            self.convolutions.append(layer.made(before, after, number == 0, 0 if last else kernel_size // 2))
            self.norms.append(SetBatchNorm2d(after, group=self.order, device=device, dtype=dtype))
        self.head = nn.Linear(self.widths[-1], num_classes, device=device, dtype=dtype)
        if gates and action is None:
            raise ValueError("gates must be given with a group, whose elements they open, got free filters")
        self.gates = Gates(action.group, device=device, dtype=dtype) if gates and action is not None else None

    def forward(self, images: Tensor) -> Tensor:
        codes = self.codes(images)
        pooled = pool_sets(codes, group=self.order) if self.gates is None else self.gates.pooled(codes)
        return self.head(pooled.mean((-2, -1)))

    def gated_loss(self, images: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        """What a network with gates is trained by: the cross entropy to be expected, summed over images, and answers.

        See Note [Gates] in `lgn.nn.gates`.  -> (), (N, classes) of the elements whose gates are open
        """
        if self.gates is None:
            raise ValueError("gates must be True for this loss, got a network without them")
        codes = self.codes(images)
        answers = self.head(self.gates(codes).mean((-2, -1)))  # (ranges, N, classes)
        several = labels.expand(len(answers), -1).flatten()
        losses = F.cross_entropy(answers.flatten(0, 1), several, reduction="none")
        opened = self.head(self.gates.pooled(codes.detach()).mean((-2, -1)))
        return self.gates.expected(losses.view(len(answers), -1)).sum(), opened.detach()

    def codes(self, images: Tensor) -> Tensor:
        """What the last layer sees, in sets, not negative.  (N, in_channels, H, W) -> (N, sets * order, H', W')"""
        codes = images
        for number, (convolution, norm) in enumerate(zip(self.convolutions, self.norms, strict=True)):
            if number == len(self.norms) - 1:
                codes = _at_least(codes, self.kernel_size)
            codes = convolution(codes)
            if number < HALVED:
                codes = halve(codes)
            # Over more elements what is left out is missed less: gates would open for that alone.
            left_out = 0.0 if self.gates is not None and number == len(self.norms) - 1 else self.dropout
            codes = F.dropout(F.relu(norm(codes)), left_out, self.training)
        return codes

    def extra_repr(self) -> str:
        name = "free filters" if self.group is None else f"sets of {self.group.name}"
        return f"{len(self.widths)} layers of {', '.join(map(str, self.widths))} {name}"


def halve(codes: Tensor) -> Tensor:
    """The largest of neighbours, at every other place: of 2 where a side is even, of 3 about a place where it is odd.

    So the places left lie symmetrically, and turns and flips go through exactly.  (N, C, H, W) -> (N, C, ~H/2, ~W/2)
    """
    odd = [side % 2 for side in codes.shape[-2:]]
    return F.max_pool2d(codes, [2 + each for each in odd], 2, odd)


def _at_least(codes: Tensor, side: int) -> Tensor:
    """Codes with zeros around, alike on opposite sides, where they are smaller than a side.  (N, C, H, W)"""
    more = [-(-max(side - each, 0) // 2) for each in (codes.shape[-1], codes.shape[-2])]
    return F.pad(codes, [margin for each in more for margin in (each, each)]) if any(more) else codes


def _action(
    group: Group | str | int | None, found: Found | None, operators: Tensor | None, kernel_size: int
) -> ImageAction | None:
    if found is not None:
        if group is not None or operators is not None:
            raise ValueError("found must be given without group and operators, which it says")
        return found_action(found, kernel_size)
    if group is None:
        return None
    if operators is None:
        return image_action(group, kernel_size)
    return ImageAction(as_group(group), operators, None)
