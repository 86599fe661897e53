"""Every generator matrix of a model, with the layer and the filters that it belongs to."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from lgn.generators import Generator, generators_of
from lgn.nn.bank import OrbitBank
from lgn.nn.unfolded import UnfoldedEncoder

Label = tuple[int | None, int | None, int | None]


@dataclass(frozen=True, eq=False)
class GeneratorSite:
    """One matrix of a model, `generator.matrix()[index]`. Layers, sets and channels are counted from 1."""

    generator: Generator
    generator_name: str  # the name of the module in the model
    index: tuple[int, int]
    name: str
    label: Label  # the layer, set and channel that the matrix belongs to; None for an axis that shares the matrix
    bases: Tensor  # the basis filters that the matrix acts on, (N, n, m)
    base_names: tuple[str, ...]
    member: int  # the number of the generator in its group: 0 for a cyclic group
    acted_on: Tensor  # the filters that the matrix is applied to `length - 1` times in a row, (N, n, m)
    length: int  # the order of a cyclic group, whose chains begin at the basis filters; 2 for other groups

    @property
    def order(self) -> int:
        """The smallest q with `a^q = e` in the group."""
        group = self.generator.group
        return group.element_orders[group.generator_elements[self.member]]


def generator_sites(model: nn.Module) -> list[GeneratorSite]:
    """The matrices of all generators of a model, in order; a matrix that several layers share appears once.

    Matrices with a single entry, such as those on the channels of grey images, are left out.
    """
    bank_names = {bank: name for name, bank in model.named_modules() if isinstance(bank, OrbitBank)}
    unfolded = [module.bank for module in model.modules() if isinstance(module, UnfoldedEncoder)]
    sites: list[GeneratorSite] = []
    for name, generator in generators_of(model).items():
        banks = [bank for bank in bank_names if any(generator is other for other in bank.generators())]
        if math.prod(generator.patch) > 1:
            # An unfolded encoder numbers its layers; the other layers have the name of their module.
            in_encoder = any(banks[0] is bank for bank in unfolded)
            layer_name = None if in_encoder else bank_names[banks[0]].removesuffix(".bank") or "layer"
            sites += _sites_of(generator, name, banks, layer_name)
    return sites


def _sites_of(
    generator: Generator, name: str, banks: list[OrbitBank], layer_name: str | None
) -> Iterator[GeneratorSite]:
    """The sites of one generator; banks that share it have the same sites."""
    group, first = generator.group, banks[0]
    rows, columns = generator.start_distance.shape
    rows, sets = rows // len(group.generators), first.num_sets
    per_set = rows == first.num_layers * sets
    across = generator is first.channel_generator
    cyclic = len(group.generators) == 1
    # The basis filters of all banks, as the layers of one bank.  (layers, sets, channels, n, m)
    layers = [layer for bank in banks for layer in _seen(bank.basis, across).unflatten(0, (bank.num_layers, -1))]
    # The (layer, set, channel) of every basis filter, counted from 1.
    sizes = [(i, range(1, part.shape[0] + 1), range(1, part.shape[1] + 1)) for i, part in enumerate(layers, 1)]
    places = [(i, k, channel) for i, ks, channels in sizes for k in ks for channel in channels]
    for member, letter in enumerate(group.generators):
        acted_on = layers if cyclic else [part for bank in banks for part in _acted_on(bank, member, across)]
        for row in range(rows):
            for column in range(columns):
                layer = (row // sets if per_set else row) + 1 if rows > 1 or per_set else None
                own: Label = (layer, row % sets + 1 if per_set else None, column + 1 if columns > 1 else None)
                label: Label = (None if layer_name else layer, own[1], own[2])
                members = [
                    place
                    for place in places
                    if own[0] in (None, (place[0] - 1) % first.num_layers + 1)
                    and own[1] in (None, place[1])
                    and own[2] in (None, place[2])
                ]
                yield GeneratorSite(
                    generator=generator,
                    generator_name=name,
                    index=(member * rows + row, column),
                    name=_site_name(label, layer_name, "" if cyclic else letter, across),
                    label=label,
                    bases=torch.stack([layers[i - 1][k - 1, channel - 1] for i, k, channel in members]),
                    base_names=_base_names(members, across),
                    member=member,
                    acted_on=torch.cat(
                        [acted_on[i - 1][k - 1, c - 1].reshape(-1, *generator.patch) for i, k, c in members]
                    ),
                    length=group.order if cyclic else 2,
                )


def _site_name(label: Label, layer_name: str | None, letter: str, across: bool) -> str:
    """A name such as "layer 2, set 1" or "convolution, r, channels"; "all" if everything shares the matrix."""
    parts = [layer_name] if layer_name else []
    parts += [f"{axis} {i}" for axis, i in zip(("layer", "set", "channel"), label, strict=True) if i is not None]
    return ", ".join(parts + [letter] * bool(letter) + ["channels"] * across) or "all"


def _base_names(members: list[tuple[int, int, int]], across: bool) -> tuple[str, ...]:
    """The names of basis filters by the axes in which they differ."""
    names = ("layer", "set", "pixel" if across else "channel")
    varying = [axis for axis in range(3) if len({member[axis] for member in members}) > 1]
    return tuple(", ".join(f"{names[axis]} {member[axis]}" for axis in varying) or "basis" for member in members)


@torch.no_grad()
def _acted_on(bank: OrbitBank, member: int, across: bool) -> Tensor:
    """The filters that a generator is applied to in the tree of words.  (layers, sets, channels, filters, n, m)"""
    sets = bank().detach().unflatten(0, (-1, bank.order))  # (layers * sets, order, channels, n, m)
    selected = sets[:, [earlier for _, place, earlier in bank.tree if place == member]]
    parts = [_seen(filters, across) for filters in selected.unbind(1)]
    return torch.stack(parts, 2).unflatten(0, (bank.num_layers, -1))


def _seen(filters: Tensor, across: bool) -> Tensor:
    """Filters as their generator sees them: for a generator of the channels, every pixel is a column of channels.

    Shapes: (sets, channels, n, m) -> the same, or (sets, n * m, channels, 1)
    """
    return filters.detach().flatten(2).mT.unsqueeze(-1) if across else filters.detach()
