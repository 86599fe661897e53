"""`convert_found`: a network with built-in orbits that were found in its filters."""

import torch
from torch import nn

from lgn.actions import matrix_of
from lgn.answer import Answer, Filters
from lgn.apply import IDENTITY
from lgn.discovery.networks.filter_bank import make_bank
from lgn.nn import Conversion, OrbitConv2d
from lgn.transforms import Transformation


def convert_found(model: nn.Module, found: Answer) -> nn.Module:
    """A copy of the model whose layers have the orbits that were found in them.

    The filters of an orbit become transformed copies of one base filter (`lgn.nn.OrbitConv2d`), and other filters stay
    free. The attribute `conversion` of the copy has the relative error of the filters of every layer.

    found: the result of `lgn.inspect(model)`.
    """
    conversion, replacements, modules = Conversion(), dict[int, nn.Module](), dict(model.named_modules())
    for name in dict.fromkeys(row.layer for row in found.rows):
        module, orbits = modules.get(name), orbits_in(found, name)
        if type(module) is not nn.Conv2d:
            conversion.left_alone[name] = "the model has no nn.Conv2d of this name"
        elif not orbits:
            conversion.left_alone[name] = "it has no orbits"
        else:
            bank = make_bank(module.weight)
            numbers = [[number for number, _ in orbit] for orbit in orbits]
            matrices = [torch.stack([matrix_of(element, bank.patch) for _, element in orbit]) for orbit in orbits]
            layer = OrbitConv2d(module, list(zip(numbers, matrices, strict=True)), bank.window)
            with torch.no_grad():
                error = float((layer.filters() - module.weight).norm() / module.weight.norm())
            replacements[id(module)] = layer.train(module.training)
            conversion.filter_error[name] = error
            conversion.converted[name] = layer.extra_repr()
    return conversion.apply(model, replacements)


def orbits_in(found: Answer, layer: str) -> list[list[tuple[int, Transformation]]]:
    """The orbits of a layer: the number of each filter, and the transformation that takes the first filter to it."""
    images: dict[int, list[tuple[int, Transformation]]] = {}
    for row in found.rows:
        copies = row.of("copies") if row.layer == layer else None
        if copies is not None and isinstance(copies.detail, Filters):
            for first, second in copies.detail.pairs:
                images.setdefault(first, [(first, IDENTITY)]).append((second, row.transformation))
    return [orbit for first, orbit in images.items() if first == min(number for number, _ in orbit)]
