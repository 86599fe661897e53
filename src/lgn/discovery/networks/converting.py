"""`convert_found`: a network with the orbits that an inspection found built in."""

import torch
from torch import nn

from lgn.discovery.networks.inspect import Inspection
from lgn.nn import FilterOrbits, convert_orbits
from lgn.transforms import parse_operator


def convert_found(model: nn.Module, inspection: Inspection) -> nn.Module:
    """A copy of the model in which the layers with orbits have them built in, see `lgn.nn.convert_orbits`.

    inspection: the result of `lgn.inspect(model)`.
    """
    layers = {}
    for bank in inspection.layers:
        top, bottom, left, right = bank.window
        patch = (bottom - top + 1, right - left + 1)
        orbits = [
            (orbit.filters, torch.stack([parse_operator(name, patch) for name in orbit.elements]))
            for orbit in bank.orbit_details
        ]
        layers[bank.name] = FilterOrbits(orbits, bank.window)
    return convert_orbits(model, layers)
