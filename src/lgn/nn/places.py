"""Who is who: every matrix of a model with its name, its place and the filters that it acts on."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from lgn.generators import Generator, generators_of
from lgn.nn.bank import OrbitBank
from lgn.nn.unfolded import UnfoldedEncoder

WORDS = ("layer", "set", "channel")
Label = tuple[int | None, int | None, int | None]


@dataclass(frozen=True, eq=False)
class Place:
    """One matrix of a model, `generator.matrix()[index]`. Layers, sets and channels are counted from 1."""

    generator: Generator
    generator_name: str  # among the modules of the model
    index: tuple[int, int]
    name: str
    label: Label  # the layer, set and channel that have it for themselves; None where it is shared
    bases: Tensor  # of the sets that it acts on, (N, n, m)
    base_names: tuple[str, ...]  # what tells them apart
    member: int  # which of the generators of its group it is: 0 for a cyclic one
    acted_on: Tensor  # the filters to which it is applied `length - 1` times in a row, (N, n, m)
    length: int  # the order for a cyclic group, whose chains begin at the bases; 2 for others

    @property
    def order(self) -> int:
        """The smallest q with `a^q = e` in the group."""
        group = self.generator.group
        return group.element_orders[group.generator_elements[self.member]]


def places(model: nn.Module) -> list[Place]:
    """The matrices of all generators of a model, in order, each once however many layers share it.

    Matrices of one number, as those of the channels of grey images, have nothing to say and are left out.
    """
    named = {id(bank): name for name, bank in model.named_modules() if isinstance(bank, OrbitBank)}
    banks = [bank for bank in model.modules() if isinstance(bank, OrbitBank)]
    unfolded = {id(module.bank) for module in model.modules() if isinstance(module, UnfoldedEncoder)}
    return [
        place
        for name, generator in generators_of(model).items()
        if math.prod(generator.patch) > 1
        for served in [[bank for bank in banks if any(generator is each for each in bank.generators())]]
        for place in _places_of(
            generator, name, served, None if id(served[0]) in unfolded else named[id(served[0])].removesuffix(".bank")
        )
    ]


def _places_of(generator: Generator, name: str, banks: list[OrbitBank], layer_name: str | None) -> Iterator[Place]:
    """Those of one generator; `layer_name` is that of its first layer, None for the layers of an unfolded network."""
    rows, columns = generator.start_distance.shape
    group, axes = generator.group, len(generator.patch)
    several = len(group.generators)
    rows, sets = rows // several, banks[0].num_sets
    per_set = rows == banks[0].num_layers * sets
    across = generator is banks[0].channel_generator
    # The banks of one generator as the layers of one.  (layers, sets, channels, n, m)
    layers = [layer for bank in banks for layer in _seen(bank.basis, across).unflatten(0, (bank.num_layers, -1))]
    for member, letter in enumerate(group.generators):
        acted = layers if several == 1 else [layer for bank in banks for layer in _earlier(bank, member, across)]
        for row in range(rows):
            for column in range(columns):
                layer = (row // sets if per_set else row) + 1 if rows > 1 or per_set else None
                own: Label = (layer, row % sets + 1 if per_set else None, column + 1 if columns > 1 else None)
                label: Label = (None if layer_name is not None else own[0], own[1], own[2])
                words = [f"{word} {i}" for word, i in zip(WORDS, label, strict=True) if i is not None]
                words += [letter] * (several > 1) + ["channels"] * across
                title = ", ".join(([] if layer_name is None else [layer_name or "layer"]) + words) or "all"
                # A generator that several banks share has the same place in each of them.
                members = [
                    (number, k, channel)
                    for number, filters in enumerate(layers, 1)
                    for k in range(1, filters.shape[0] + 1)
                    for channel in range(1, filters.shape[1] + 1)
                    if own[0] in (None, (number - 1) % banks[0].num_layers + 1)
                    and own[1] in (None, k)
                    and own[2] in (None, channel)
                ]
                named = (*WORDS[:2], "pixel") if across else WORDS
                varying = [axis for axis in range(3) if len({each[axis] for each in members}) > 1]
                yield Place(
                    generator,
                    name,
                    (member * rows + row, column),
                    title,
                    label,
                    torch.stack([layers[number - 1][k - 1, channel - 1] for number, k, channel in members]),
                    tuple(", ".join(f"{named[axis]} {m[axis]}" for axis in varying) or "basis" for m in members),
                    member,
                    torch.cat([_all(acted[number - 1][k - 1, channel - 1], axes) for number, k, channel in members]),
                    group.order if several == 1 else 2,
                )


@torch.no_grad()
def _earlier(bank: OrbitBank, member: int, across: bool) -> Tensor:
    """The filters that the tree of words applies a generator to.  (layers, sets, channels, filters, n, m)"""
    sets = bank().detach().unflatten(0, (-1, bank.order))  # (layers * sets, order, channels, n, m)
    chosen = sets[:, [earlier for _, place, earlier in bank.tree if place == member]]
    apart = [_seen(filters, across) for filters in chosen.unbind(1)]
    return torch.stack(apart, 2).unflatten(0, (bank.num_layers, -1))


def _seen(filters: Tensor, across: bool) -> Tensor:
    """Filters as a generator sees them: of the channels, each pixel is a column of them.

    Shapes: (sets, channels, n, m) -> the same, or (sets, n * m, channels, 1)
    """
    return filters.detach().flatten(2).mT.unsqueeze(-1) if across else filters.detach()


def _all(filters: Tensor, axes: int) -> Tensor:
    return filters if filters.ndim > axes else filters[None]
