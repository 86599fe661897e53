"""The layers of a `GroupNet`: their construction, their number of parameters, and the widths that use a budget."""

from itertools import product
from typing import Any, Literal

import torch
from torch import nn

from lgn.generators import Family, Share, Start
from lgn.nn.group_stack import GroupStackConv2d
from lgn.nn.image_action import ImageAction, restrict
from lgn.nn.layers import GroupConv2d

HALVED = 2  # the number of first layers after which images are halved
TAPER = (0.5, 0.75)  # the widths of the first layers over the others: they see larger images and cost most
SPARE = 0.02  # the share of the parameters that may remain unused
VARIED = 5  # the number of last layers whose widths are varied to use the parameters up


class NetLayer:
    """A layer of the network, which can be counted without being made."""

    def __init__(
        self,
        action: ImageAction | None,
        kernel_size: int,
        generator: Family,
        share: Share,
        start: Start | Literal["group"],
        factory: dict[str, Any],
    ) -> None:
        self.action, self.kernel_size, self.factory = action, kernel_size, factory
        self.generator, self.share = generator, share
        self.fixed = generator == "fixed"
        self.order = 1 if action is None else action.group.order
        #: The filters that bases are made of, if the known action is built in or the generators begin at it.
        self.start, self.span = start, None
        if action is not None and (self.fixed or (isinstance(start, str) and start == "group")):
            self.start, self.span = list(action.matrices), action.span
        self.size = kernel_size**2 if self.span is None else self.span.shape[1]
        self.generator_parameters = 0
        if action is not None and not self.fixed:
            layer: Any = self.make(1, 1, True, 0)
            made = layer.orbits.generator
            self.generator_parameters = sum(p.numel() for p in made.parameters())
            if share == "network":
                self.generator = made  # all layers share it

    def make(self, before: int, after: int, lifting: bool, padding: int) -> nn.Module:
        """A layer from sets, or from the channels of images if it is lifting, to sets; initialised as by He et al."""
        if self.action is None:
            free = nn.Conv2d(before, after, self.kernel_size, padding=padding, bias=False, **self.factory)
            nn.init.normal_(free.weight, std=(2 / free.weight[0].numel()) ** 0.5)
            return free
        kind: type[GroupConv2d] = GroupConv2d if lifting else GroupStackConv2d
        layer = kind(
            before,
            after,
            self.kernel_size,
            padding=padding,
            bias=False,
            group=self.action.group,
            generator=self.generator,
            share="network" if self.fixed else self.share,
            start=self.start,  # type: ignore[arg-type]
            **self.factory,
        )
        bases = layer.orbits.basis
        if self.span is not None:
            bases = restrict(layer.orbits, self.span)
        with torch.no_grad():
            nn.init.normal_(bases, std=(2 / bases[0].numel()) ** 0.5)
        return layer

    def count(self, before: int, after: int, lifting: bool) -> int:
        """The parameters of a layer and of the normalisation of sets that follows it."""
        elements = 1 if lifting else self.order
        matrices = {"channel": before * elements * after, "set": after, "network": int(lifting)}.get(self.share, 1)
        return before * elements * after * self.size + self.generator_parameters * matrices + 2 * after


def fitting_widths(layer: NetLayer, channels: int, classes: int, layers: int, parameters: int) -> tuple[int, ...]:
    """The sets of every layer, near the taper: the fastest widths among those that use the parameters up."""

    def sizes(widths: tuple[int, ...]) -> list[int]:
        pairs = enumerate(zip((channels, *widths), widths, strict=False))
        return [layer.count(before, after, number == 0) for number, (before, after) in pairs]

    def count(widths: tuple[int, ...]) -> int:
        return sum(sizes(widths)) + (widths[-1] + 1) * classes

    def cost(widths: tuple[int, ...]) -> int:
        return sum(size * 4 ** max(HALVED - number, 0) for number, size in enumerate(sizes(widths)))

    def tapered(width: int) -> tuple[int, ...]:
        return tuple(max(1, round(width * share)) for share in (*TAPER, *(1.0,) * layers)[:layers])

    if (least := count((1,) * layers)) > parameters:
        raise ValueError(f"parameters must be at least {least} for this network, got {parameters}")
    width = 1
    while count(tapered(width + 1)) <= parameters:
        width += 1
    first = tapered(width)
    for changes in (range(3), range(-1, 4)):
        additions = product(changes, repeat=min(layers, VARIED))
        near = [first[:-VARIED] + tuple(map(sum, zip(first[-VARIED:], more, strict=True))) for more in additions]
        fitting = [widths for widths in near if min(widths) > 0 and count(widths) <= parameters]
        full = [widths for widths in fitting if count(widths) > (1 - SPARE) * parameters]
        if growing := [widths for widths in full if list(widths) == sorted(widths)]:
            return min(growing, key=cost)
    return min(full, key=cost) if full else max(fitting, key=count)
