"""The layers of a `GroupNet`: how one is made, how many parameters it has, and how wide all of them can be."""

from itertools import product
from typing import Any, Literal

import torch
from torch import nn

from lgn.generators import Family, Share, Start
from lgn.nn.bank import OrbitBank
from lgn.nn.group_stack import GroupStackConv2d
from lgn.nn.image_action import ImageAction, restrict
from lgn.nn.layers import GroupConv2d

HALVED = 2  # the first layers, after which images are half as large
TAPER = (0.5, 0.75)  # their sets over those of the others: they see larger images, and cost most
SPARE = 0.02  # the share of the parameters that may be left over
VARIED = 5  # how many of the last layers are made wider or narrower for that


class NetLayer:
    """A layer of the network: made, and counted without being made."""

    def __init__(
        self,
        action: ImageAction | None,
        kernel_size: int,
        generator: Family,
        share: Share,
        start: Start | Literal["group"],
        place: dict[str, Any],
    ) -> None:
        self.action, self.kernel_size, self.place = action, kernel_size, place
        self.generator, self.share = generator, share
        self.known = generator == "fixed"
        self.order = 1 if action is None else action.group.order
        #: The filters that bases are made of: where the known action is, or is begun with.
        self.start, self.span = start, None
        if action is not None and (self.known or (isinstance(start, str) and start == "group")):
            self.start, self.span = list(action.matrices), action.span
        self.size = kernel_size**2 if self.span is None else self.span.shape[1]
        self.of_generator = 0
        if action is not None and not self.known:
            made = self._made(1, 1, True, 0).bank.generator
            self.of_generator = sum(p.numel() for p in made.parameters())
            if share == "network":
                self.generator = made  # one for all layers

    def made(self, before: int, after: int, lifting: bool, padding: int) -> nn.Module:
        """From so many sets, or channels of images, to so many sets; He's start, whatever the group."""
        if self.action is None:
            free = nn.Conv2d(before, after, self.kernel_size, padding=padding, bias=False, **self.place)
            nn.init.normal_(free.weight, std=(2 / free.weight[0].numel()) ** 0.5)
            return free
        return self._made(before, after, lifting, padding)

    def _made(self, before: int, after: int, lifting: bool, padding: int) -> GroupConv2d:
        kind: type[GroupConv2d] = GroupConv2d if lifting else GroupStackConv2d
        assert self.action is not None
        layer = kind(
            before,
            after,
            self.kernel_size,
            padding=padding,
            bias=False,
            group=self.action.group,
            generator=self.generator,
            share="network" if self.known else self.share,
            start=self.start,  # type: ignore[arg-type]
            **self.place,
        )
        bank = layer.bank if isinstance(layer.bank, OrbitBank) else layer.bank.orbits
        bases = bank.basis
        if self.span is not None:
            bases = restrict(bank, self.span)
        with torch.no_grad():
            nn.init.normal_(bases, std=(2 / bases[0].numel()) ** 0.5)
        return layer

    def count(self, before: int, after: int, lifting: bool) -> int:
        """The parameters of that, and of the normalisation of sets that follows."""
        elements = 1 if lifting else self.order
        several = {"channel": before * elements * after, "set": after, "network": int(lifting)}
        matrices = several.get(self.share, 1)
        return before * elements * after * self.size + self.of_generator * matrices + 2 * after


def fitting_widths(layer: NetLayer, channels: int, classes: int, layers: int, parameters: int) -> tuple[int, ...]:
    """The sets of each layer, near the taper: of all that use the parameters up, those that take least time."""

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
        several = product(changes, repeat=min(layers, VARIED))
        near = [first[:-VARIED] + tuple(map(sum, zip(first[-VARIED:], more, strict=True))) for more in several]
        fitting = [widths for widths in near if min(widths) > 0 and count(widths) <= parameters]
        enough = [widths for widths in fitting if count(widths) > (1 - SPARE) * parameters]
        if growing := [widths for widths in enough if list(widths) == sorted(widths)]:
            return min(growing, key=cost)
    return min(enough, key=cost) if enough else max(fitting, key=count)
