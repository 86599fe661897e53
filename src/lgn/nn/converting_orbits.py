"""`convert_orbits`: convolutions with orbits that were found in their filters, in place of plain convolutions."""

from collections.abc import Mapping

import torch
from torch import nn

from lgn.nn.conversion import Conversion
from lgn.nn.orbit_conv import FilterOrbits, OrbitConv2d


def convert_orbits(model: nn.Module, layers: Mapping[str, FilterOrbits]) -> nn.Module:
    """A copy of the model in which convolutions have the orbits that were found in their filters.

    layers: the orbits of every layer, by the name of the layer in the model; layers without orbits are left alone. The
    filters of an orbit become transformed copies of one base (`OrbitConv2d`), and the other filters stay free. The
    attribute `conversion` of the copy has the relative error of the filters of every layer.
    """
    conversion, replacements = Conversion(), dict[int, nn.Module]()
    modules = dict(model.named_modules())
    for name, found in layers.items():
        module = modules.get(name)
        if type(module) is not nn.Conv2d:
            conversion.left_alone[name] = "the model has no nn.Conv2d of this name"
        elif not found.orbits:
            conversion.left_alone[name] = "it has no orbits"
        else:
            layer = OrbitConv2d(module, found)
            stored = sum(part.numel() for part in (layer.basis, layer.gain, layer.free))
            with torch.no_grad():
                error = float((layer.filters() - module.weight).norm() / module.weight.norm())
            replacements[id(module)] = layer.train(module.training)
            conversion.filter_error[name] = error
            conversion.converted[name] = (
                f"{len(layer.gain)} of {module.out_channels} filters in {len(found.orbits)} orbits, "
                f"{stored:,} numbers instead of {module.weight.numel():,}"
            )
    return conversion.apply(model, replacements)
