"""`convert_found`: a network with the orbits that were found in its filters."""

import torch
from torch import nn

from lgn.actions import matrix_of
from lgn.answer import Answer, Filters
from lgn.apply import IDENTITY
from lgn.discovery.networks.filter_bank import prepare
from lgn.nn import FilterOrbits, convert_orbits
from lgn.transforms import Transformation


def convert_found(model: nn.Module, found: Answer) -> nn.Module:
    """A copy of the model whose layers have the orbits that were found in them; see `lgn.nn.convert_orbits`.

    found: the result of `lgn.inspect(model)`.
    """
    modules, layers = dict(model.named_modules()), {}
    for name in dict.fromkeys(row.layer for row in found.rows):
        module = modules.get(name)
        if isinstance(module, nn.Conv2d):
            bank = prepare(module.weight)
            orbits = [
                ([number for number, _ in orbit], torch.stack([matrix_of(map_, bank.patch) for _, map_ in orbit]))
                for orbit in orbits_in(found, name)
            ]
            layers[name] = FilterOrbits(orbits, bank.window)
    return convert_orbits(model, layers)


def orbits_in(found: Answer, layer: str) -> list[list[tuple[int, Transformation]]]:
    """The orbits of a layer: the number of each filter, and the transformation that takes the first filter to it."""
    images: dict[int, list[tuple[int, Transformation]]] = {}
    for row in found.rows:
        copies = row.of("copies") if row.layer == layer else None
        if copies is not None and isinstance(copies.detail, Filters):
            for first, second in copies.detail.pairs:
                images.setdefault(first, [(first, IDENTITY)]).append((second, row.transformation))
    return [orbit for first, orbit in images.items() if first == min(number for number, _ in orbit)]
